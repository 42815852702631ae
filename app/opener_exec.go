//go:build !windows

package app

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"ibid/backend/api"
)

// opener lets the system's programs show files. Paths are absolute and reach
// them as one argument, never through a shell.
type opener struct{ going sync.WaitGroup }

func (o *opener) open(ctx context.Context, path string) error {
	return o.first(ctx, path, openCommands(runtime.GOOS, path))
}

func (o *opener) reveal(ctx context.Context, path string) error {
	return o.first(ctx, path, revealCommands(runtime.GOOS, path))
}

// wait waits for the commands, which end with their contexts. Programs that
// they started go on.
func (o *opener) wait() { o.going.Wait() }

// openCommands are the ways to open a file, best first.
func openCommands(system, path string) [][]string {
	if system == "darwin" {
		return [][]string{{"open", path}}
	}
	return [][]string{{"xdg-open", path}}
}

// revealCommands are the ways to show a file in its folder, best first.
func revealCommands(system, path string) [][]string {
	if system == "darwin" {
		return [][]string{{"open", "-R", path}}
	}
	// dbus-send divides arrays at commas.
	uri := strings.ReplaceAll((&url.URL{Scheme: "file", Path: path}).String(), ",", "%2C")
	return [][]string{
		{
			"dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.FileManager1",
			"/org/freedesktop/FileManager1", "org.freedesktop.FileManager1.ShowItems", "array:string:" + uri, "string:",
		},
		{"xdg-open", filepath.Dir(path)},
	}
}

// first runs commands until one of them succeeds.
func (o *opener) first(ctx context.Context, path string, commands [][]string) error {
	for _, c := range commands {
		if o.run(ctx, c) == nil {
			return nil
		}
	}
	return &api.Error{
		Code: api.CodeUnavailable, Message: "no program of this system shows " + filepath.Base(path),
		Hint: "Open it yourself: " + path,
	}
}

// patience is how long a command may go on before it is taken for the program
// that shows the file, which xdg-open waits for on some desktops.
const patience = 5 * time.Second

func (o *opener) run(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	o.going.Go(func() { ended <- cmd.Wait() })
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return nil
	}
}
