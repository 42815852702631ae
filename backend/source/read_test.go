package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ibid/backend/corpus"
)

func TestReadAndHash(t *testing.T) {
	s := folder(t, "x/a.md=hello", "empty.md")
	for path, want := range map[string]string{"x/a.md": "hello", "empty.md": ""} {
		data, fp, err := New().Read(t.Context(), s, path)
		if err != nil || string(data) != want || fp.Size != int64(len(want)) || fp.HashedAt == 0 || fp.ModTime == 0 {
			t.Errorf("%s: %q, %+v, %v", path, data, fp, err)
		}
		hash, again, err := New().Hash(t.Context(), s, path)
		again.HashedAt = fp.HashedAt
		if err != nil || hash != corpus.HashBytes([]byte(want)) || again != fp {
			t.Errorf("%s: %v, %+v, %v", path, hash, again, err)
		}
	}
}

func TestPath(t *testing.T) {
	s := folder(t, "x/a b.md", "x/dir/c.md")
	file := corpus.Source{Kind: corpus.SourceFile, Root: filepath.Join(s.Root, "x", "a b.md")}
	gone := s
	gone.Root += "-away"
	for _, test := range []struct {
		name   string
		source corpus.Source
		path   string
		want   string
		err    error
	}{
		{"in a folder", s, "x/a b.md", file.Root, nil},
		{"a file", file, "a b.md", file.Root, nil},
		{"another than the file", file, "c.md", "", fs.ErrNotExist},
		{"missing", s, "x/none.md", "", fs.ErrNotExist},
		{"a folder", s, "x/dir", "", corpus.ErrUnsupported},
		{"missing root", gone, "x/a b.md", "", corpus.ErrUnavailable},
		{"no disk", corpus.Source{Kind: corpus.SourceInline}, "a.md", "", corpus.ErrUnsupported},
	} {
		if got, err := New().Path(test.source, test.path); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	s := folder(t, "a.md=x", "dir/b.md", "big.bin")
	if err := os.Truncate(filepath.Join(s.Root, "big.bin"), MaxFile+1); err != nil {
		t.Fatal(err)
	}
	gone := s
	gone.Root += "-away"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name   string
		ctx    context.Context //nolint:containedctx // a test case
		source corpus.Source
		path   string
		want   error
	}{
		{"missing", t.Context(), s, "none.md", fs.ErrNotExist},
		{"below a file", t.Context(), s, "a.md/b.md", fs.ErrNotExist},
		{"in a missing folder", t.Context(), s, "none/b.md", fs.ErrNotExist},
		{"a folder", t.Context(), s, "dir", corpus.ErrUnsupported},
		{"too large", t.Context(), s, "big.bin", corpus.ErrLimit},
		{"out of the source", t.Context(), s, "../a.md", corpus.ErrInvalid},
		{"missing root", t.Context(), gone, "a.md", corpus.ErrUnavailable},
		{"no disk", t.Context(), corpus.Source{Kind: corpus.SourceInline}, "a.md", corpus.ErrUnsupported},
		{"cancelled", cancelled, s, "a.md", context.Canceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := New().Read(test.ctx, test.source, test.path)
			_, _, hashErr := New().Hash(test.ctx, test.source, test.path)
			if !errors.Is(err, test.want) || !errors.Is(hashErr, test.want) {
				t.Errorf("read: %v, hash: %v; want %v", err, hashErr, test.want)
			}
			if !errors.Is(test.want, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v looks as if the file were gone", err)
			}
		})
	}
	if _, err := New().Exists(t.Context(), gone, "a.md"); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("whether a file of a missing root exists: %v", err)
	}
	for path, want := range map[string]bool{"a.md": true, "none.md": false, "dir": false, "a.md/x": false} {
		if got, err := New().Exists(t.Context(), s, path); got != want || err != nil {
			t.Errorf("%s exists: %v, %v", path, got, err)
		}
	}
}

// A file that is written while it is read is busy, whatever came of it.
func TestReadWhileWritten(t *testing.T) {
	tests := map[string]func(path string) error{
		"grows":   func(path string) error { return appendTo(path, "more") },
		"shrinks": func(path string) error { return os.Truncate(path, 1) },
		"rewritten in place": func(path string) error {
			later := time.Now().Add(time.Hour)
			return errors.Join(os.WriteFile(path, []byte("HELLO"), 0o644), os.Chtimes(path, later, later))
		},
		"exchanged": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("other"), 0o644), os.Rename(path+".new", path))
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			s := folder(t, "a.md=hello")
			_, err := consume(t.Context(), s, "a.md", func(r io.Reader, _ int64) (int64, error) {
				var first [2]byte
				if _, err := io.ReadFull(r, first[:]); err != nil {
					return 0, err
				}
				if err := change(filepath.Join(s.Root, "a.md")); err != nil {
					return 0, err
				}
				rest, err := io.ReadAll(r)
				return int64(len(first) + len(rest)), err
			})
			if !errors.Is(err, corpus.ErrBusy) {
				t.Errorf("got %v, want %v", err, corpus.ErrBusy)
			}
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func TestOpen(t *testing.T) {
	s := folder(t, "a.md=hello", "dir/")
	f, err := New().Open(s, "a.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if string(data) != "hello" || err != nil || f.Close() != nil {
		t.Errorf("%q, %v", data, err)
	}
	if f, err := New().Open(s, "dir"); err == nil {
		f.Close()
		t.Error("a folder opens as a document")
	}
}
