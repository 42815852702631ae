package boot

import (
	"os"
	"runtime/debug"
)

// memory is up to which size, in bytes, garbage may make this process grow. With
// what a model and a reading process take, that keeps all below 900 MB.
const memory = 512 << 20

// LimitMemory has garbage collected earlier where a document is large enough for
// it to matter: the runtime alone lets as much garbage gather as is in use. What
// is in use is not limited, and GOMEMLIMIT, if set, holds instead.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
}
