package mount

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMountDriver(t *testing.T) {
	const info = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home rw - btrfs /dev/sdb rw
41 40 0:36 / /home/ada/remote\040disk rw,nosuid - fuse.sshfs ada@host: rw
42 22 0:37 / /mnt rw - fuse.ntfs-3g /dev/sdc rw
43 42 0:38 / /mnt rw - fuse.rclone drive: rw
malformed line
`
	for dir, want := range map[string]string{
		"/":                            "ext4",
		"/homes":                       "ext4",
		"/home":                        "btrfs",
		"/home/ada/remote":             "btrfs",
		"/home/ada/remote disk":        "fuse.sshfs",
		"/home/ada/remote disk/papers": "fuse.sshfs",
		"/mnt/x":                       "fuse.rclone",
	} {
		if got, err := mountDriver(strings.NewReader(info), dir); got != want || err != nil {
			t.Errorf("%s is on %q, %v; want %q", dir, got, err, want)
		}
	}
}

func TestALocalFolderIsNeither(t *testing.T) {
	dir := t.TempDir()
	for name, look := range map[string]func(string) (string, error){"network": Network, "silent": Silent} {
		if got, err := look(dir); err != nil || got != "" {
			t.Errorf("%s: %s is on %q, %v", name, dir, got, err)
		}
		if _, err := look(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v, want that there is no such folder", name, err)
		}
	}
}

// Folders whose changes this system does not hear of are known as such, so that
// they are looked at regularly: network drives (S86), and what the host of a
// container, a virtual machine or WSL shares (S93).
func TestSilentFileSystems(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    uint32
		driver  string
		network string
		silent  string
	}{
		{"local disk", unix.EXT4_SUPER_MAGIC, "ext4", "", ""},
		{"container's layers", unix.OVERLAYFS_SUPER_MAGIC, "overlay", "", ""},
		{"bind mount of a local folder", unix.BTRFS_SUPER_MAGIC, "btrfs", "", ""},
		{"encrypted local folder", unix.FUSE_SUPER_MAGIC, "fuse.gocryptfs", "", ""},
		{"Windows disk, mounted locally", unix.FUSE_SUPER_MAGIC, "fuse.ntfs-3g", "", ""},
		{"NFS", unix.NFS_SUPER_MAGIC, "nfs4", "NFS", "NFS"},
		{"Windows share", unix.SMB2_SUPER_MAGIC, "cifs", "SMB", "SMB"},
		{"Windows drive in WSL 2", unix.V9FS_MAGIC, "9p", "9P", "9P"},
		{"folder over SSH", unix.FUSE_SUPER_MAGIC, "fuse.sshfs", "fuse.sshfs", "fuse.sshfs"},
		{"Docker Desktop, gRPC", unix.FUSE_SUPER_MAGIC, "fuse.grpcfuse", "", "fuse.grpcfuse"},
		{"Docker Desktop, permissions over it", 0x65735546, "fakeowner", "", "fakeowner"},
		{"Docker Desktop, virtiofs", 0x6a656a63, "virtiofs", "", "virtiofs"},
		{"VirtualBox shared folder", 0x786f4256, "vboxsf", "", "vboxsf"},
		{"VMware shared folder", unix.FUSE_SUPER_MAGIC, "fuse.vmhgfs-fuse", "", "fuse.vmhgfs-fuse"},
	} {
		if got := network(tt.kind, tt.driver); got != tt.network {
			t.Errorf("%s: network %q, want %q", tt.name, got, tt.network)
		}
		if got := unannounced(tt.kind, tt.driver); got != tt.silent {
			t.Errorf("%s: silent %q, want %q", tt.name, got, tt.silent)
		}
	}
}
