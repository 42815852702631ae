package source

import (
	"errors"
	"testing"

	"ibid/backend/corpus"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		glob, path string
		fold, want bool
	}{
		{"", "a/b.md", false, true},
		{"*.md", "a/b.md", false, true},
		{"*.md", "a/b.txt", false, false},
		{"contracts/**", "contracts/2024/a.pdf", false, true},
		{"contracts", "contracts/2024/a.pdf", false, true},
		{"contracts/", "contracts/2024/a.pdf", false, true},
		{"contracts/*", "old/contracts/a.pdf", false, false},
		{"Contracts/**", "contracts/a.pdf", false, false},
		{"Contracts/**", "contracts/a.pdf", true, true},
	} {
		g, err := NewGlob(tt.glob, tt.fold)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match(tt.path); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.glob, tt.path, got)
		}
	}
	for _, bad := range []string{"[", "/", "{a"} {
		if _, err := NewGlob(bad, false); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
		s := corpus.Source{Kind: corpus.SourceFolder, Root: t.TempDir(), Chunking: []corpus.ChunkRule{{Glob: bad}}}
		if err := (&Files{}).Check(s); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("a source with the rule %q: %v", bad, err)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		name             string
		include, exclude []string
		fold             bool
		path             string
		want             bool
	}{
		{"no globs", nil, nil, false, "mail.eml/a.pdf", true},
		{"included with its folder", []string{"*.eml"}, nil, false, "in/mail.eml/a.pdf", true},
		{"not included", []string{"*.md"}, nil, false, "mail.eml/a.pdf", false},
		{"excluded", nil, []string{"*.pdf"}, false, "mail.eml/a.pdf", false},
		{"excluded with its folder", nil, []string{"in"}, false, "in/mail.eml/a.pdf", false},
		{"excluded though included", []string{"*.eml"}, []string{"*.pdf"}, false, "mail.eml/a.pdf", false},
		{"other case", nil, []string{"*.PDF"}, false, "mail.eml/a.pdf", true},
		{"other case where case is folded", nil, []string{"*.PDF"}, true, "mail.eml/a.pdf", false},
		{"included in other case", []string{"IN/"}, nil, true, "in/mail.eml/a.pdf", true},
		{"the root is not excluded", nil, []string{"*"}, false, "", true},
	} {
		g, err := NewGlobs(corpus.Source{Include: tt.include, Exclude: tt.exclude, FoldCase: tt.fold})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Wanted(tt.path); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
