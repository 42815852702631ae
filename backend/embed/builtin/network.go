//go:build cgo

package builtin

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"ibid/backend/corpus"
)

// library owns the one ONNX Runtime environment that a process can have: the
// binding keeps it in global variables. It is loaded at most once and stays
// until the process ends, since a library that has started threads cannot be
// unloaded safely.
var library struct {
	sync.Mutex
	path string // of what is loaded; "" before
}

// loadLibrary loads ONNX Runtime from path unless it is loaded already. A
// second path is refused: the process cannot have both.
func loadLibrary(path string) error {
	library.Lock()
	defer library.Unlock()
	switch library.path {
	case "":
	case path:
		return nil
	default:
		return fmt.Errorf("load ONNX Runtime: %w: %s is in use, so %s cannot be", corpus.ErrUnsupported, library.path, path)
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("load ONNX Runtime from %s: %w: %w", path, corpus.ErrUnavailable, err)
	}
	library.path = path
	// Only some platforms' libraries send any; there is nothing to send for us.
	return ort.DisableTelemetry()
}

// network is a loaded model. Its session is shared: a run is single-threaded
// on the caller's thread, so as many run at once as there are runners, over
// one copy of the weights. Queries have runners of their own and so never wait
// for documents.
type network struct {
	session            *ort.DynamicAdvancedSession
	documents, queries chan *runner
	runners            []*runner
}

func loadNetwork(f files, s spec, threads int) (n *network, err error) {
	if err := loadLibrary(f.library); err != nil {
		return nil, err
	}
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("make session options: %w", err)
	}
	defer func() { err = errors.Join(err, options.Destroy()) }()
	if err := errors.Join(
		options.SetIntraOpNumThreads(1),
		options.SetInterOpNumThreads(1),
		options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
	); err != nil {
		return nil, fmt.Errorf("set session options: %w", err)
	}
	session, err := ort.NewDynamicAdvancedSession(f.model,
		[]string{"input_ids", "attention_mask", "token_type_ids"}, []string{"last_hidden_state"}, options)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", f.model, err)
	}
	n = &network{
		session:   session,
		documents: make(chan *runner, threads),
		queries:   make(chan *runner, threads),
	}
	for range threads {
		for _, pool := range []chan *runner{n.documents, n.queries} {
			r := newRunner(s)
			n.runners = append(n.runners, r)
			pool <- r
		}
	}
	return n, nil
}

func (n *network) close() error {
	for _, r := range n.runners {
		r.pinned.Unpin()
	}
	if err := n.session.Destroy(); err != nil {
		return fmt.Errorf("close session: %w", err)
	}
	return nil
}

// runner holds the memory of one run: tensors are views of it, of the text's
// exact length, so there is no padding to compute.
type runner struct {
	ids, mask, types []int64
	hidden           []float32
	dimensions       int
	pinned           runtime.Pinner // C keeps pointers into the above during a run
}

func newRunner(s spec) *runner {
	r := &runner{
		ids:        make([]int64, s.limit),
		mask:       make([]int64, s.limit),
		types:      make([]int64, s.limit),
		hidden:     make([]float32, s.limit*s.dimensions),
		dimensions: s.dimensions,
	}
	for i := range r.mask {
		r.mask[i] = 1
	}
	for _, p := range []*int64{&r.ids[0], &r.mask[0], &r.types[0]} {
		r.pinned.Pin(p)
	}
	r.pinned.Pin(&r.hidden[0])
	return r
}

// run returns the token vectors of ids, valid until the next run.
func (r *runner) run(session *ort.DynamicAdvancedSession, ids []int32) (hidden []float32, err error) {
	length := int64(len(ids))
	for i, id := range ids {
		r.ids[i] = int64(id)
	}
	var values []ort.Value
	defer func() {
		for _, v := range values {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, data := range [][]int64{r.ids, r.mask, r.types} {
		t, err := ort.NewTensor(ort.NewShape(1, length), data)
		if err != nil {
			return nil, fmt.Errorf("make input tensor: %w", err)
		}
		values = append(values, t)
	}
	out, err := ort.NewTensor(ort.NewShape(1, length, int64(r.dimensions)), r.hidden)
	if err != nil {
		return nil, fmt.Errorf("make output tensor: %w", err)
	}
	values = append(values, out)
	if err := session.Run(values[:3], values[3:]); err != nil {
		return nil, fmt.Errorf("run model over %d tokens: %w", length, err)
	}
	return r.hidden[:len(ids)*r.dimensions], nil
}
