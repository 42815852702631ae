package boot

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// memory is up to which size, in bytes, garbage may make this process grow. With
// what a model and a reading process take, that keeps all below 900 MB.
const memory = 512 << 20

// LimitMemory has garbage collected earlier where a document is large enough for
// it to matter: the runtime alone lets as much garbage gather as is in use. What
// is in use is not limited, and GOMEMLIMIT, if set, holds instead.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		follow(&collection{})
	}
}

// collection is garbage: it is noticed with each collection. The runtime puts
// smaller ones together with what is in use.
type collection struct{ _ [16]byte }

// follow sets the limit now and after each collection.
func follow(c *collection) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(limitBeside(live[0].Value.Uint64()))
	runtime.SetFinalizer(c, func(*collection) { follow(&collection{}) })
}

// limitBeside is the limit while so many bytes are in use. A large library keeps
// its vectors: near a fixed limit little else than collecting would be done.
func limitBeside(live uint64) int64 { return max(memory, int64(live/2*3)) }
