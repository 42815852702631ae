package worker

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"
)

// statm returns a field of /proc/<process>/statm in bytes: 0 the address space,
// 1 what is resident; 0 if it cannot be told.
func statm(process string, field int) int64 {
	data, err := os.ReadFile("/proc/" + process + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(data)
	if len(fields) <= field {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[field]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// resident is the memory that the process holds.
func (w *process) resident() int64 { return statm(strconv.Itoa(w.cmd.Process.Pid), 1) }

// headroom is how much address space beyond its memory a process may reserve.
const headroom = 2 << 30

// limitSelf bounds the address space to what is used already and the soft limit
// of memory with some room, in case that the parent looks too late, and writes
// no core.
func limitSelf() {
	space := uint64(statm("self", 0) + debug.SetMemoryLimit(-1)/3*4 + headroom)
	for _, l := range []struct {
		resource int
		most     uint64
	}{{unix.RLIMIT_AS, space}, {unix.RLIMIT_CORE, 0}} {
		_ = unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.most, Max: l.most}) // the parent watches, too
	}
}
