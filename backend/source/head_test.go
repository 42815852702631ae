package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/corpus"
)

// TestHead: the beginning of any regular file can be had, also of one that is
// too large to be read.
func TestHead(t *testing.T) {
	s := folder(t, "a.md=hello", "empty.md", "dir/b.md", "film.mp4=a film")
	if err := os.Truncate(filepath.Join(s.Root, "film.mp4"), MaxFile+1); err != nil {
		t.Fatal(err)
	}
	away := s
	away.Root += "-away"
	tests := []struct {
		name   string
		source corpus.Source
		path   string
		n      int
		want   string
		err    error
	}{
		{"a part", s, "a.md", 4, "hell", nil},
		{"a shorter file", s, "a.md", 100, "hello", nil},
		{"an empty file", s, "empty.md", 100, "", nil},
		{"a very large file", s, "film.mp4", 6, "a film", nil},
		{"a folder", s, "dir", 4, "", corpus.ErrUnsupported},
		{"missing", s, "none.md", 4, "", fs.ErrNotExist},
		{"out of the source", s, "../a.md", 4, "", corpus.ErrInvalid},
		{"missing root", away, "a.md", 4, "", corpus.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New().Head(t.Context(), tt.source, tt.path, tt.n)
			if string(got) != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
