package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

func TestParseChunking(t *testing.T) {
	twenty := 20
	for written, want := range map[string]*api.ChunkRule{
		"qa":                           {Strategy: "qa"},
		"contracts/**=contract":        {Glob: "contracts/**", Strategy: "contract"},
		"a=b/*.md=contract:200:20":     {Glob: "a=b/*.md", Strategy: "contract", Size: 200, Overlap: &twenty},
		"fixed:300":                    {Strategy: "fixed", Size: 300},
		"":                             nil,
		"=qa":                          nil,
		"*.md=":                        nil,
		"qa:0":                         nil,
		"qa:-3":                        nil,
		"qa:many":                      nil,
		"qa:1:2:3":                     nil,
		"qa:100:-1":                    nil,
		"qa:99999999999999999999":      nil,
		"*.md=qa:100:9999999999999999": {Glob: "*.md", Strategy: "qa", Size: 100, Overlap: new(9999999999999999)},
	} {
		got, err := parseChunking([]string{written})
		if want == nil {
			if err == nil {
				t.Errorf("%q is read as %+v", written, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", written, err)
			continue
		}
		if d := cmp.Diff([]api.ChunkRule{*want}, got); d != "" {
			t.Errorf("%q: %s", written, d)
		}
	}
}

// Rules that were read are written in a way that is read as the same.
func FuzzParseChunking(f *testing.F) {
	f.Add("contracts/**=contract:200:20")
	f.Add("a=b=qa")
	f.Fuzz(func(t *testing.T, written string) {
		rules, err := parseChunking([]string{written})
		if err != nil {
			return
		}
		again, err := parseChunking([]string{chunkingWords(rules)})
		if err != nil || !cmp.Equal(rules, again) {
			t.Errorf("%q is %+v, written %q, which is %+v, %v", written, rules, chunkingWords(rules), again, err)
		}
	})
}
