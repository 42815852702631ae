//go:build !linux && !darwin && !windows

package sqlite

// networkMount knows nothing of mounts on this system.
func networkMount(string) (string, error) { return "", nil }
