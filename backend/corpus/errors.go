package corpus

import "errors"

// Sentinels whose meaning is shared by several rooms. Test with errors.Is.
var (
	// ErrNotFound: the named thing does not exist in this library.
	ErrNotFound = errors.New("not found")
	// ErrInvalid: the caller's input breaks a documented rule; nothing was changed.
	ErrInvalid = errors.New("invalid input")
	// ErrStale: the store moved on since the caller looked; plan again.
	ErrStale = errors.New("changed since it was planned")
	// ErrBusy: another process holds the writer role, or a file is being written.
	ErrBusy = errors.New("busy")
	// ErrUnavailable: a root, folder or provider cannot be reached now; nothing follows about its contents.
	ErrUnavailable = errors.New("unavailable")
	// ErrTooNew: the library was written by a newer program.
	ErrTooNew = errors.New("library is newer than this program")
	// ErrUnsupported: this build, store or model cannot do what was asked.
	ErrUnsupported = errors.New("not supported")
	// ErrLimit: a documented bound was exceeded.
	ErrLimit = errors.New("limit exceeded")
)
