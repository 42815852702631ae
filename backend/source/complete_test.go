package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/source"
)

func TestComplete(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"Papers/old", "papers-2", "photos", ".hidden"} {
		if err := os.MkdirAll(filepath.Join(root, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "paper.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "photos"), filepath.Join(root, "pa-link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", root)
	t.Setenv("USERPROFILE", root)
	in := func(names ...string) (list []string) {
		for _, n := range names {
			list = append(list, filepath.Join(root, n))
		}
		return list
	}
	sep := string(filepath.Separator)
	for name, c := range map[string]struct {
		prefix string
		want   []string
	}{
		"a beginning, in any case":     {root + sep + "pap", in("Papers", "papers-2")},
		"a link to a folder":           {root + sep + "pa-", in("pa-link")},
		"all below":                    {root + sep, in("Papers", "pa-link", "papers-2", "photos")},
		"hidden ones when asked for":   {root + sep + ".", in(".hidden")},
		"below a folder":               {filepath.Join(root, "Papers") + sep, in("Papers/old")},
		"home":                         {"~/ph", in("photos")},
		"nothing typed is home":        {"", in("Papers", "pa-link", "papers-2", "photos")},
		"a user's home is not known":   {"~ada", nil},
		"a relative path":              {"pap", nil},
		"nothing there":                {root + sep + "none" + sep, nil},
		"longer than any name that is": {root + sep + "photos-of-2024", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := source.New().Complete(t.Context(), c.prefix)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
