package sqlite

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// networkFileSystems are the types of statfs(2) that reach over a network or
// into another kernel.
var networkFileSystems = map[int64]string{
	unix.NFS_SUPER_MAGIC:   "NFS",
	unix.SMB_SUPER_MAGIC:   "SMB",
	unix.CIFS_SUPER_MAGIC:  "CIFS",
	unix.SMB2_SUPER_MAGIC:  "SMB",
	unix.V9FS_MAGIC:        "9P",
	unix.CEPH_SUPER_MAGIC:  "Ceph",
	unix.AFS_SUPER_MAGIC:   "AFS",
	unix.AFS_FS_MAGIC:      "AFS",
	unix.CODA_SUPER_MAGIC:  "Coda",
	unix.OCFS2_SUPER_MAGIC: "OCFS2",
}

// networkMount names the network file system that dir is on, "" for a local one.
func networkMount(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return networkFileSystems[int64(s.Type)&0xffffffff], nil
}
