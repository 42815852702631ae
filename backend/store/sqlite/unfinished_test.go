package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/store/sqlite"
)

// backingUp backs up to a folder until it is killed.
func backingUp(path, dir string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "ready")
	for {
		name := filepath.Join(dir, fmt.Sprintf("child-%d.db", os.Getpid()))
		if err := db.Backup(ctx, name); err != nil {
			return err
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
}

// unfinished are the copies in a folder that have no name yet.
func unfinished(t *testing.T, dir string) (list []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".ibid-backup-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestKilledBackup: what a backup leaves that was killed at any instant goes
// with the next one to that folder; what another is just making does not.
func TestKilledBackup(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "library.db"), t.TempDir()
	db := open(t, path)
	fill(t, db)
	living := startChild(t, path, childBackups+"="+dir)
	other := t.TempDir() // a folder that only has what is killed
	for left := 0; left < 3; {
		cmd := startChild(t, path, childBackups+"="+other)
		waitFor(t, func() bool { return len(unfinished(t, other)) > 0 })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		for _, at := range unfinished(t, other) {
			left++
			if err := os.Rename(at, filepath.Join(dir, filepath.Base(at))); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(dir, "copy.db")
		if err := errors.Join(db.Backup(t.Context(), name), os.Remove(name)); err != nil {
			t.Fatal(err)
		}
	}
	// The one that lives has made its copies all the while.
	seen := map[string]bool{}
	waitFor(t, func() bool {
		for _, at := range unfinished(t, dir) {
			seen[at] = true
		}
		return len(seen) > 3
	})
	if err := living.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = living.Wait() // it was killed
	if err := db.Backup(t.Context(), filepath.Join(dir, "last.db")); err != nil {
		t.Fatal(err)
	}
	if left := unfinished(t, dir); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// TestUnfinishedBackups: what is cleared is what a backup makes, and dead.
func TestUnfinishedBackups(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string // in the folder
		stays bool
	}{
		{"Killed", []string{"lock", "library.db"}, false},
		{"KilledWithItsLog", []string{"lock", "library.db", "library.db-journal"}, false},
		{"KilledBeforeItsCopy", []string{"lock"}, false},
		{"KilledBeforeItsLock", nil, false},
		{"WithoutLocks", []string{"library.db"}, true},
		{"SomethingElse", []string{"lock", "letter.txt"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			db := open(t, filepath.Join(dir, "library.db"))
			at := filepath.Join(dir, ".ibid-backup-1")
			if err := os.Mkdir(at, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range tt.files {
				if err := os.WriteFile(filepath.Join(at, name), []byte("half"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(at)
			if stays := !errors.Is(err, fs.ErrNotExist); stays != tt.stays {
				t.Errorf("it stays: %t, want %t", stays, tt.stays)
			}
			if tt.stays {
				for _, name := range tt.files {
					if _, err := os.Stat(filepath.Join(at, name)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}
