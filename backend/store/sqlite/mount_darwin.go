package sqlite

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// networkMount names the network file system that dir is on, "" for a local one.
func networkMount(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	if s.Flags&unix.MNT_LOCAL == 0 {
		return unix.ByteSliceToString(s.Fstypename[:]), nil
	}
	return "", nil
}
