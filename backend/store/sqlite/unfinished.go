package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ibid/backend/mount"
)

// unfinished is a copy that is being made: a folder beside its target, with the
// copy and a lock that its maker holds for as long as it lives. So whoever finds
// one can tell whether anybody makes it still. The lock is not on the copy
// itself: SQLite locks that in its own way, and the two do not mix everywhere
// (flock is fcntl's lock on NFS; Windows' locks forbid others to read).
type unfinished struct {
	dir  string
	lock *os.File // nil where the file system has no locks: then it is left to people
}

// Names of unfinished copies and of what is in them.
const (
	unfinishedPrefix = ".ibid-backup-"
	unfinishedCopy   = "library.db"
	unfinishedLock   = "lock"
)

// copyFiles are what may be in the folder beside the lock.
var copyFiles = []string{unfinishedCopy, unfinishedCopy + "-journal", unfinishedCopy + "-wal", unfinishedCopy + "-shm"}

// unfinishedTries bounds how often others may take a folder that is being made
// for one that was left behind, before its lock says otherwise.
const unfinishedTries = 8

// beginCopy makes an empty copy in dir, which only its owner can read.
func beginCopy(dir string) (*unfinished, error) {
	for try := 1; ; try++ {
		at, err := os.MkdirTemp(dir, unfinishedPrefix+"*")
		if err != nil {
			return nil, err
		}
		u := &unfinished{dir: at}
		if err = u.claim(); err == nil {
			if err = createFile(u.copy()); err == nil {
				return u, nil
			}
		}
		err = errors.Join(err, u.discard())
		if try == unfinishedTries || !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

func (u *unfinished) copy() string { return filepath.Join(u.dir, unfinishedCopy) }

// claim locks the folder. It fails with errLocked or fs.ErrNotExist where
// another took it for one that was left behind.
func (u *unfinished) claim() error {
	path := filepath.Join(u.dir, unfinishedLock)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	switch err := lockFile(f); {
	case errors.Is(err, errLocked):
		return errors.Join(err, f.Close())
	case err != nil:
		return errors.Join(f.Close(), os.Remove(path))
	}
	u.lock = f
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	found, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(mine, found) {
		return fs.ErrNotExist
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	return writeHolder(f, host)
}

// discard deletes the folder. The copy goes first, while its lock is held: half
// a copy without a lock would stay for ever. Then the lock, before it is given
// back: its maker may only have been about to take it. Windows does not delete
// what is open, nor lets another's open lock be deleted, so there it goes after.
func (u *unfinished) discard() error {
	var errs []error
	for _, name := range copyFiles {
		errs = append(errs, os.Remove(filepath.Join(u.dir, name)))
	}
	lock := filepath.Join(u.dir, unfinishedLock)
	if u.lock != nil {
		_ = os.Remove(lock) // told below
		errs = append(errs, u.lock.Close())
	}
	errs = append(errs, os.Remove(lock), os.Remove(u.dir))
	for i, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// clearCopies deletes the unfinished copies in dir that no living process makes.
// What cannot be told is left: copies without a lock, and on network file
// systems, whose locks may hold on one machine alone, those of other machines.
func clearCopies(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for unfinished backups: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), unfinishedPrefix) {
			continue
		}
		if err := clearCopy(filepath.Join(dir, e.Name())); err != nil {
			errs = append(errs, fmt.Errorf("delete an unfinished backup: %w", err))
		}
	}
	return errors.Join(errs...)
}

func clearCopy(dir string) error {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return e.Name() != unfinishedLock && !slices.Contains(copyFiles, e.Name()) }) {
		return nil // it is something else
	}
	f, err := os.OpenFile(filepath.Join(dir, unfinishedLock), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Join(dir, unfinishedCopy)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return (&unfinished{dir: dir}).discard() // its maker got no further than this, or begins anew
	}
	if err != nil {
		return err
	}
	if err := lockFile(f); err != nil {
		if errors.Is(err, errLocked) {
			err = nil // its maker lives
		}
		return errors.Join(err, f.Close())
	}
	if !local(dir) && !madeHere(f) {
		return f.Close()
	}
	return (&unfinished{dir: dir, lock: f}).discard()
}

// local reports whether dir is known not to be on a network file system.
func local(dir string) bool {
	name, err := mount.Network(dir)
	return err == nil && name == ""
}

// madeHere reports whether a lock was taken on this machine.
func madeHere(f *os.File) bool {
	host, err := os.Hostname()
	return err == nil && strings.HasPrefix(readHolder(f), host+" (process ")
}
