//go:build !linux

package worker

import "os/exec"

// isolate does nothing here: the process ends with its input.
func isolate(*exec.Cmd) {}

// resident cannot be told here; the soft limit of memory and the time remain.
func (*process) resident() int64 { return 0 }

func limitSelf() {}
