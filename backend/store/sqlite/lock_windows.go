package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// holderOffset is where the holder's name stands: behind the locked byte,
// since a lock on Windows forbids others to read.
const holderOffset = 1

// lockFile takes the first byte.
func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}
