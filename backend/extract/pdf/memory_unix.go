//go:build unix

package pdf

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// withMemory has instances grow where they are: by default they are copied to
// twice their size, and Go's collector decides when the old memory goes.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate))
}

func allocate(_, most uint64) experimental.LinearMemory {
	data, err := unix.Mmap(-1, 0, int(most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return &mapped{} // of which no byte can be had: the instance does not start
	}
	return &mapped{data}
}

// mapped is address space that becomes memory when it is used.
type mapped struct{ data []byte }

func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.data)) {
		return nil
	}
	return m.data[:size]
}

func (m *mapped) Free() {
	if m.data != nil {
		_ = unix.Munmap(m.data) // cannot fail for what was mapped
		m.data = nil
	}
}
