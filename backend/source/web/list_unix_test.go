//go:build unix

package web

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A list that is no file is not waited for.
func TestListIsNoFile(t *testing.T) {
	s := newSite(t, "/")
	s.source.Root = filepath.Join(t.TempDir(), "pages.txt")
	if err := syscall.Mkfifo(s.source.Root, 0o600); err != nil {
		t.Fatal(err)
	}
	if scan := s.look(""); !strings.Contains(scan.Unavailable, "no file") {
		t.Errorf("a fifo: %q", scan.Unavailable)
	}
}
