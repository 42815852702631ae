package mount

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Network names the network file system that dir is on, "" for a local one.
func Network(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	if s.Flags&unix.MNT_LOCAL == 0 {
		return unix.ByteSliceToString(s.Fstypename[:]), nil
	}
	return "", nil
}

// Silent names the file system that dir is on if it does not announce all
// changes to who watches it; "" for others.
func Silent(dir string) (string, error) { return Network(dir) }
