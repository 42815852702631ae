package mount

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
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
