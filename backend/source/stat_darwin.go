package source

import (
	"io/fs"
	"syscall"
)

// Flags of chflags(2), sys/stat.h.
const (
	flagHidden   = 0x8000     // UF_HIDDEN: not shown in Finder
	flagDataless = 0x40000000 // SF_DATALESS: the content is in the cloud
)

func changeTime(st *syscall.Stat_t) int64 { return syscall.TimespecToNsec(st.Ctimespec) }

func isHidden(info fs.FileInfo) bool { return flags(info)&flagHidden != 0 }

func isOffline(info fs.FileInfo) bool { return flags(info)&flagDataless != 0 }

func flags(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Flags
	}
	return 0
}
