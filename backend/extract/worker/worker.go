// Package worker reads documents in processes of their own: whatever a
// document does to its reader, this program lives on and says what happened.
//
// A Pool is an extract.Extractor for this side, Main the life of the process on
// the other. The processes run the same program. They have a minimal
// environment, no files but the two pipes and a log, are kept for the next
// document, and end when their input ends.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Options say how to read. Zero values are the defaults.
type Options struct {
	Command   []string      // of a process that runs Main
	Processes int           // at once; default: one for each core
	Time      time.Duration // for one document; default 60 s
	Memory    int64         // bytes of one process; default 512 MiB; watched on Linux
	Output    int64         // bytes of one extraction; default 256 MiB
	Documents int           // after which a process is replaced; default 200
	Cache     string        // folder for what is slow to make, see CacheVariable
	Log       *slog.Logger  // nil: none
}

func (o Options) complete() Options {
	set := func(v *int64, usual int64) {
		if *v <= 0 {
			*v = usual
		}
	}
	set(&o.Memory, 512<<20)
	set(&o.Output, 256<<20)
	if o.Processes <= 0 {
		o.Processes = runtime.GOMAXPROCS(0)
	}
	if o.Time <= 0 {
		o.Time = time.Minute
	}
	if o.Documents <= 0 {
		o.Documents = 200
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// CacheVariable is the environment variable by which processes are told the
// folder for what is slow to make.
const CacheVariable = "IBID_CACHE"

// Pool hands documents to worker processes. It may be used by several
// goroutines at once.
type Pool struct {
	o     Options
	slots chan struct{} // one for each document being read

	mu     sync.Mutex
	idle   []*process
	closed bool
}

var _ extract.Extractor = (*Pool)(nil)

// New returns a pool. No process is started before the first document.
func New(o Options) *Pool {
	o = o.complete()
	return &Pool{o: o, slots: make(chan struct{}, o.Processes)}
}

// Extract implements extract.Extractor. Exceeding time, memory or output is
// corpus.ErrLimit and names the limit. corpus.ErrUnavailable says that there
// is no process to read with, or none that can start its reader: that is no fact
// about the document.
func (p *Pool) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	var doc *corpus.Extraction
	err := p.do(ctx, request{Name: in.Name, Type: in.Type, Time: p.o.Time}, in.Data, func(a answer) error {
		if doc = a.Document; doc == nil {
			return errors.New("the reading process gave no document")
		}
		doc.Text = a.text
		return nil
	})
	return doc, err
}

var _ extract.Renderer = (*Pool)(nil)

// Render implements extract.Renderer, with the errors of Extract.
func (p *Pool) Render(ctx context.Context, in extract.Input, page, width int) (*extract.Picture, error) {
	var picture *extract.Picture
	r := request{Name: in.Name, Type: in.Type, Time: p.o.Time, Page: page, Width: width}
	err := p.do(ctx, r, in.Data, func(a answer) error {
		if picture = a.Picture; picture == nil {
			return errors.New("the reading process gave no picture")
		}
		if a.text != "" {
			picture.PNG = []byte(a.text)
		}
		return nil
	})
	return picture, err
}

// do has a process answer a request.
func (p *Pool) do(ctx context.Context, r request, data []byte, take func(answer) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	w, err := p.take()
	if err != nil {
		return err
	}
	for {
		if w == nil {
			if w, err = start(p.o); err != nil {
				return fmt.Errorf("%w: start a process to read with: %w", corpus.ErrUnavailable, err)
			}
		}
		err := w.do(ctx, r, data, take)
		if w.ended() {
			// What an earlier document left behind may have been the cause, or
			// something that can be left out.
			again := w.served > 0 && errors.As(err, new(*endedError))
			if w.risked() && ctx.Err() == nil {
				again, r.Careful = !r.Careful, true
			}
			p.o.Log.Warn("extraction worker ended", "document", r.Name, "served", w.served, "error", err, "retry", again)
			if w = nil; again {
				continue
			}
		}
		p.put(w)
		return err
	}
}

// take returns a warm process, or nil.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("%w: the readers are closed", corpus.ErrUnavailable)
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w, nil
}

// put keeps a process for the next document, unless it has served enough or
// holds on to much memory.
func (p *Pool) put(w *process) {
	if w == nil {
		return
	}
	p.mu.Lock()
	keep := !p.closed && w.served < p.o.Documents && w.resident() < p.o.Memory/2
	if keep {
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if !keep {
		w.close()
	}
}

// Close ends the idle processes; those that read end after their document.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, w := range idle {
		w.close()
	}
	return nil
}
