//go:build !linux && !windows

package watch

const (
	deep       = true
	attributes = false // macOS: Spotlight changes them all the time

	limitHint    = ""
	watchersHint = " (kern.maxfilesperproc)"
)
