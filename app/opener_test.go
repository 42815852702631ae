//go:build !windows

package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

func TestIsDocument(t *testing.T) {
	for path, want := range map[string]bool{
		"/n/a.md": true, "/n/Lease.PDF": true, "/n/x.tar.txt": true,
		"/n/run.sh": false, "/n/a.desktop": false, "/n/setup.exe": false, "/n/a.txt.lnk": false, "/n/macro.xlsm": false,
		"/n/a.js": false, "/n/a.py": false, "/n/a.command": false, "/n/a.app": false, "/n/README": false, "/n.md/tool": false, "/n/a.md.": false,
	} {
		if got := isDocument(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestCommands(t *testing.T) {
	const path = "/n/a b,c;$(x)/é 100%.md"
	for name, test := range map[string]struct{ got, want [][]string }{
		"open on Linux":   {openCommands("linux", path), [][]string{{"xdg-open", path}}},
		"open on macOS":   {openCommands("darwin", path), [][]string{{"open", path}}},
		"reveal on macOS": {revealCommands("darwin", path), [][]string{{"open", "-R", path}}},
		"reveal on Linux": {revealCommands("linux", path), [][]string{
			{
				"dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.FileManager1",
				"/org/freedesktop/FileManager1", "org.freedesktop.FileManager1.ShowItems",
				"array:string:file:///n/a%20b%2Cc;$%28x%29/%C3%A9%20100%25.md", "string:",
			},
			{"xdg-open", "/n/a b,c;$(x)"},
		}},
	} {
		if d := cmp.Diff(test.want, test.got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// program puts a program of that name first on the path. It writes its
// arguments, one a line, to the returned file, and ends with the code.
func program(t *testing.T, dir, name, code string) (written string) {
	t.Helper()
	written = filepath.Join(dir, name+".args")
	text := "#!/bin/sh\nprintf '%s\\n' \"$@\" >'" + written + "'\nexit " + code + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return written
}

func TestOpenerRuns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs are those of Linux")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	var o opener
	defer o.wait()
	path := "/n/-a b;touch x;$(touch y) `z`.md"
	fault, ok := errors.AsType[*api.Error](o.open(t.Context(), path))
	if !ok || fault.Code != api.CodeUnavailable {
		t.Errorf("without a program: %v", fault)
	}
	opened := program(t, dir, "xdg-open", "0")
	if err := o.open(t.Context(), path); err != nil {
		t.Error(err)
	}
	expect(t, opened, path+"\n")

	program(t, dir, "dbus-send", "1") // there is no file manager on the bus
	if err := o.reveal(t.Context(), path); err != nil {
		t.Error(err)
	}
	expect(t, opened, "/n\n")

	program(t, dir, "xdg-open", "4")
	if err := o.reveal(t.Context(), path); err == nil {
		t.Error("a failing program counts as success")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.open(ctx, path); err == nil {
		t.Error("opened in a window that closes")
	}
}

func expect(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
