package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"sentences", "The pump runs all day. Does it leak? It does not!", []string{"The pump runs all day.", "Does it leak?", "It does not!"}},
		{"wrapped lines", "The pump runs\nall day long. It is\nquiet as well.", []string{"The pump runs\nall day long.", "It is\nquiet as well."}},
		{"abbreviations", "Ask Dr. Lee about it. See e.g. the second table. J. Smith agrees fully.", []string{"Ask Dr. Lee about it.", "See e.g. the second table.", "J. Smith agrees fully."}},
		{"headings", "# Pumps and valves\n\nThe pump runs all day.\n## More of them\nThe valve is shut.", []string{"The pump runs all day.", "The valve is shut."}},
		{"list", "Parts:\n- the first pump\n- the second pump,\n  which is newer\n1. the third pump\n* the fourth pump", []string{"the first pump", "the second pump,\n  which is newer", "the third pump", "the fourth pump"}},
		{"table", "| Name | Shelf |\n|---|---|\n| Fuse box | 14 |", []string{"Name | Shelf", "Fuse box | 14"}},
		{"code", "Run this now:\n\n```sh\nmake install everything\n```\n\nThen read the log.", []string{"Run this now:", "Then read the log."}},
		{"nothing but code", "```sh\nmake install\n```", []string{"```sh\nmake install\n```"}},
		{"too short to say anything", "Yes. The pump runs all day.", []string{"The pump runs all day."}},
		{"Chinese", "上海的地铁票价将在明年调整。北京的票价不变。", []string{"上海的地铁票价将在明年调整。", "北京的票价不变。"}},
		{"number at the end", "The fee is 20. The rest is free.", []string{"The fee is 20.", "The rest is free."}},
		{"nothing", " \n\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range split(tt.text) {
				got = append(got, tt.text[s.start:s.end])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongSentenceIsCutBetweenWords(t *testing.T) {
	text := strings.Repeat("wörd ", 300)
	s := split(text)[0]
	if n := s.end - s.start; n > maxSentence || n < maxSentence-10 || !strings.HasSuffix(text[s.start:s.end], "wörd") {
		t.Errorf("a sentence of %d bytes ends in %q", n, text[s.end-6:s.end])
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("The pump runs. - a\n- b\n| c | d |\n```\ncode\n")
	f.Add("1. a\n\n# b\n\u0300e.g. x. \xff")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range split(text) {
			if s.start < end || s.start >= s.end || s.end > len(text) || s.end-s.start > maxSentence {
				t.Fatalf("sentence %v after %d of %d bytes", s, end, len(text))
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[s.start:s.end]) {
				t.Fatalf("sentence %q cuts a character", text[s.start:s.end])
			}
			end = s.end
		}
	})
}
