package pgtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children lists the processes whose parent is pid.
func children(pid int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var list []int
	for _, path := range stats {
		if _, parent := status(path); parent == pid {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				return nil, err
			}
			list = append(list, child)
		}
	}
	return list, nil
}

// alive reports whether a process has not ended yet.
func alive(pid int) bool {
	state, _ := status(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return state != "" && state != "Z"
}

// status reads a process's state and parent; none after its end.
func status(path string) (state string, parent int) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", 0
	}
	// pid (name) state parent …; the name may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}
