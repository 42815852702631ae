package mount

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Network names the network drive that dir is on, "" for a local one.
func Network(dir string) (string, error) {
	volume := filepath.VolumeName(dir)
	if len(volume) > 2 && (volume[0] == '\\' || volume[0] == '/') {
		return "share " + volume, nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "drive " + volume, nil
	}
	return "", nil
}

// Silent names the file system that dir is on if it does not announce all
// changes to who watches it; "" for others.
func Silent(dir string) (string, error) { return Network(dir) }
