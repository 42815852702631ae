package sqlite

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkMount names the network drive that dir is on, "" for a local one.
func networkMount(dir string) (string, error) {
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
