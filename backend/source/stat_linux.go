package source

import (
	"io/fs"
	"syscall"
)

func changeTime(st *syscall.Stat_t) int64 { return syscall.TimespecToNsec(st.Ctim) }

// isHidden knows no more than names here, and rules know those.
func isHidden(fs.FileInfo) bool { return false }

// isOffline: file systems of cloud storage fetch on demand here and do not say so.
func isOffline(fs.FileInfo) bool { return false }
