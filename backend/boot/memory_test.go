package boot

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(4 << 30)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "4GiB")
	LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != 4<<30 {
		t.Errorf("beside GOMEMLIMIT it is %d", got)
	}
	t.Setenv("GOMEMLIMIT", "")
	runtime.GC()
	LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != memory {
		t.Errorf("of a small library it is %d", got)
	}
	vectors := make([]byte, 2*memory) // reserved, not used
	runtime.GC()
	LimitMemory()
	if got := debug.SetMemoryLimit(-1); got < 3*memory {
		t.Errorf("beside %d bytes in use it is %d", len(vectors), got)
	}
	runtime.KeepAlive(vectors)
}
