//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// holderOffset is where the holder's name stands; the lock is advisory.
const holderOffset = 0

// lockFile takes the whole file. Unlike fcntl's, a flock belongs to the open
// file, so that it also keeps two openings in one process apart.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		}
		return err
	}
}
