//go:build linux

package source

import (
	"net"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ibid/backend/corpus"
)

func TestSpecialFilesAreNeverOpened(t *testing.T) {
	s := folder(t, "a.md")
	if err := syscall.Mkfifo(filepath.Join(s.Root, "fifo.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	socket, err := config.Listen(t.Context(), "unix", filepath.Join(s.Root, "s.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if diff := cmp.Diff([]string{"a.md"}, paths(scan(t, s))); diff != "" {
		t.Errorf("paths differ (-want +got):\n%s", diff)
	}
	for _, name := range []string{"fifo.md", "s.md"} {
		if _, _, err := New().Read(t.Context(), s, name); err == nil { // and does not wait for a writer
			t.Errorf("read %s", name)
		}
		if there, err := New().Exists(t.Context(), s, name); there || err != nil {
			t.Errorf("%s exists as a file, %v", name, err)
		}
		if reason, err := New().Ignored(t.Context(), s, name); reason == "" || err != nil {
			t.Errorf("%s is ignored as %q, %v", name, reason, err)
		}
	}
	if _, _, err := New().Probe(filepath.Join(s.Root, "fifo.md")); err == nil {
		t.Error("a fifo can be a source")
	}
}

// asNobody runs fn without the right to read everything.
func asNobody(fn func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if syscall.Geteuid() == 0 {
		const nobody = 65534
		_, _ = unix.SetfsuidRetUid(nobody)
		defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	}
	fn()
}

func chmod(t *testing.T, s corpus.Source, name string, mode uint32) {
	t.Helper()
	path := filepath.Join(s.Root, name)
	if err := syscall.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Chmod(path, 0o755) })
}

func TestUnreadable(t *testing.T) {
	s := folder(t, "a.md", "locked/b.md", "rules/.gitignore=*.md\n", "rules/c.md", "secret.md", "blind/d.md")
	chmod(t, s, "locked", 0)
	chmod(t, s, "rules/.gitignore", 0)
	chmod(t, s, "secret.md", 0)
	chmod(t, s, "blind", 0o444)                                                      // lists, but tells nothing of what it lists
	if err := syscall.Chmod(filepath.Dir(filepath.Dir(s.Root)), 0o755); err != nil { // of the test's own folder
		t.Fatal(err)
	}
	asNobody(func() {
		got := scan(t, s)
		if diff := cmp.Diff([]string{"a.md", "blind/d.md failed", "secret.md"}, paths(got)); diff != "" {
			t.Errorf("paths differ (-want +got):\n%s", diff)
		}
		want := map[string]string{"locked": "permission denied", "rules": ".gitignore: permission denied"}
		if diff := cmp.Diff(want, got.Coverage.Holes); diff != "" {
			t.Errorf("holes differ (-want +got):\n%s", diff)
		}
		for path, want := range map[string]bool{"locked/x.md": false, "gone.md": true, "rules/c.md": false} {
			if covered, _ := got.Coverage.Covers(path); covered != want {
				t.Errorf("covers %s: %v", path, covered)
			}
		}
		if _, _, err := New().Read(t.Context(), s, "secret.md"); err == nil {
			t.Error("read a file without permission")
		}
		if got := scan(t, s, "locked/b.md"); len(got.Coverage.Holes) == 0 {
			t.Error("a place in an unreadable folder is covered")
		}
	})
	chmod(t, s, "", 0)
	asNobody(func() {
		if got := scan(t, s); got.Unavailable != "permission denied" {
			t.Errorf("an unreadable root: unavailable %q, %q", got.Unavailable, paths(got))
		}
	})
}

func TestMountsAreRemembered(t *testing.T) {
	var dev, shm syscall.Stat_t
	if syscall.Stat("/dev", &dev) != nil || syscall.Stat("/dev/shm", &shm) != nil || dev.Dev == shm.Dev {
		t.Skip("SKIPPED: /dev/shm is no mount")
	}
	s := corpus.Source{Kind: corpus.SourceFolder, Root: "/dev"}
	m := parseMark(scan(t, s).Source.Mark)
	found := false
	for _, p := range m.mounts {
		found = found || p == "shm"
	}
	if !found {
		t.Errorf("mounts %q", m.mounts)
	}
}
