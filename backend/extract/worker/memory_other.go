//go:build !linux

package worker

// resident cannot be told here; the soft limit of memory and the time remain.
func (*process) resident() int64 { return 0 }

func limitSelf() {}
