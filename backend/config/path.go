package config

import (
	"fmt"
	"path/filepath"

	"ibid/backend/corpus"
)

// Environment is where folders are derived from.
type Environment struct {
	OS     string              // as runtime.GOOS
	Getenv func(string) string // as os.Getenv
}

// DataFolder returns the program's folder for the user's data:
// $XDG_DATA_HOME/ibid (XDG Base Directory Specification 0.8; a relative value
// is ignored, as it says), ~/Library/Application Support/ibid on macOS,
// %LocalAppData%\ibid on Windows.
func DataFolder(e Environment) (string, error) {
	switch e.OS {
	case "windows":
		if d := e.Getenv("LocalAppData"); d != "" {
			return filepath.Join(d, "ibid"), nil
		}
		return "", fmt.Errorf("%w: %%LocalAppData%% is not set; name a library with --library", corpus.ErrInvalid)
	case "darwin":
		if d := e.Getenv("HOME"); d != "" {
			return filepath.Join(d, "Library", "Application Support", "ibid"), nil
		}
	default:
		if d := e.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
			return filepath.Join(d, "ibid"), nil
		}
		if d := e.Getenv("HOME"); d != "" {
			return filepath.Join(d, ".local", "share", "ibid"), nil
		}
	}
	return "", fmt.Errorf("%w: $HOME is not set; name a library with --library", corpus.ErrInvalid)
}

// CacheFolder returns the program's folder for what can be made again:
// $IBID_CACHE, else $XDG_CACHE_HOME/ibid, ~/Library/Caches/ibid on macOS,
// %LocalAppData%\ibid\cache on Windows; "" where the environment names none.
func CacheFolder(e Environment) string {
	under := func(parts ...string) string {
		if !filepath.IsAbs(parts[0]) {
			return ""
		}
		return filepath.Join(parts...)
	}
	if d := e.Getenv("IBID_CACHE"); d != "" {
		return under(d)
	}
	switch e.OS {
	case "windows":
		return under(e.Getenv("LocalAppData"), "ibid", "cache")
	case "darwin":
		return under(e.Getenv("HOME"), "Library", "Caches", "ibid")
	}
	if d := under(e.Getenv("XDG_CACHE_HOME"), "ibid"); d != "" {
		return d
	}
	return under(e.Getenv("HOME"), ".cache", "ibid")
}

// LibraryFolder returns the library's folder: flag, else $IBID_LIBRARY, else
// "library" in the data folder. The result is absolute; nothing is created.
func LibraryFolder(flag string, e Environment) (string, error) {
	folder := flag
	if folder == "" {
		folder = e.Getenv("IBID_LIBRARY")
	}
	if folder == "" {
		data, err := DataFolder(e)
		if err != nil {
			return "", err
		}
		folder = filepath.Join(data, "library")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find library folder: %w", err)
	}
	return folder, nil
}
