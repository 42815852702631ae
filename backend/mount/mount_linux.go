package mount

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFileSystems are the types of statfs(2) that reach over a network or
// into another kernel.
var networkFileSystems = map[uint32]string{
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

// networkFUSE are the drivers behind FUSE mounts that reach over a network.
// Many others are local: ntfs-3g, gocryptfs, mergerfs.
var networkFUSE = map[string]bool{
	"fuse.sshfs": true, "fuse.rclone": true, "fuse.s3fs": true, "fuse.gcsfuse": true, "fuse.davfs": true, "davfs": true,
	"fuse.glusterfs": true, "fuse.ceph-fuse": true, "fuse.curlftpfs": true, "fuse.gvfsd-fuse": true, "fuse.juicefs": true,
}

// silent are further drivers whose files are changed from outside of this
// kernel, which does not hear of it: folders shared by a virtual machine's host.
var silent = map[string]bool{
	"virtiofs": true, "vboxsf": true, "prl_fs": true, "vmhgfs": true, "fuse.vmhgfs-fuse": true,
	"fuse.grpcfuse": true, "grpcfuse": true, "fuse.osxfs": true, "osxfs": true, "fakeowner": true,
}

// Network names the network file system that dir is on, "" for a local one.
func Network(dir string) (string, error) {
	kind, err := kindOf(dir)
	if err != nil || kind != unix.FUSE_SUPER_MAGIC {
		return network(kind, ""), err
	}
	driver, err := driverOf(dir)
	return network(kind, driver), err
}

// Silent names the file system that dir is on if it does not announce all
// changes to who watches it: those over a network, and folders that the host of
// a virtual machine shares; "" for others.
func Silent(dir string) (string, error) {
	kind, err := kindOf(dir)
	if err != nil || networkFileSystems[kind] != "" {
		return network(kind, ""), err
	}
	driver, err := driverOf(dir)
	return unannounced(kind, driver), err
}

// network names a network file system by its type and, behind FUSE, its driver.
func network(kind uint32, driver string) string {
	switch {
	case kind != unix.FUSE_SUPER_MAGIC:
		return networkFileSystems[kind]
	case networkFUSE[driver]:
		return driver
	}
	return ""
}

// unannounced names a file system that network names, or a shared folder's.
func unannounced(kind uint32, driver string) string {
	if name := network(kind, driver); name != "" {
		return name
	}
	if silent[driver] {
		return driver
	}
	return ""
}

func kindOf(dir string) (uint32, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return uint32(s.Type), nil
}

func driverOf(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	defer f.Close()
	return mountDriver(f, real)
}

// mountDriver finds in proc_pid_mountinfo(5) the file system type of the mount
// that dir is on: the last of those with the longest mount point.
func mountDriver(mountinfo io.Reader, dir string) (string, error) {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	driver, longest := "", -1
	lines := bufio.NewScanner(mountinfo)
	for lines.Scan() {
		mount, rest, ok := strings.Cut(lines.Text(), " - ")
		fields, kinds := strings.Fields(mount), strings.Fields(rest)
		if !ok || len(fields) < 5 || len(kinds) == 0 {
			continue
		}
		point := unescape.Replace(fields[4])
		inside := dir == point || strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/")
		if inside && len(point) >= longest {
			driver, longest = kinds[0], len(point)
		}
	}
	return driver, lines.Err()
}
