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
