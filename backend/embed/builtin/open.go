//go:build cgo

package builtin

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/wordpiece"
)

// Open finds the model's files and reads its tokenizer. The weights are loaded
// by the first call that embeds, so that a program which only plans or
// searches by keyword never pays for them.
//
// Errors wrap corpus.ErrInvalid for an unknown model and corpus.ErrUnavailable
// for files that are missing or damaged.
func Open(ctx context.Context, o Options) (embed.Embedder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Model == "" {
		o.Model = Default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("open built-in model: %w: %d threads", corpus.ErrInvalid, o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	s, ok := specs[o.Model]
	if !ok {
		return nil, fmt.Errorf("open built-in model: %w: no model %q; there are %v", corpus.ErrInvalid, o.Model, Models())
	}
	found, err := locate(o.Model, o.Dirs)
	if err != nil {
		return nil, fmt.Errorf("open built-in model: %w", err)
	}
	if err := verify(found.tokenizer, s.tokenizer); err != nil {
		return nil, fmt.Errorf("open built-in model: %w", err)
	}
	data, err := os.ReadFile(found.tokenizer)
	if err != nil {
		return nil, fmt.Errorf("open built-in model: %w: %w", corpus.ErrUnavailable, err)
	}
	tokens, err := wordpiece.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("open built-in model: %w", err)
	}
	return &model{spec: s, name: o.Model, files: found, tokens: tokens, threads: o.Threads, log: o.Log}, nil
}

// model is one model of this package.
type model struct {
	spec
	name    string
	files   files
	tokens  *wordpiece.Tokenizer
	threads int
	log     *slog.Logger

	// running is read-locked by every call that embeds, so that Close waits.
	running sync.RWMutex
	closed  bool
	loading sync.Mutex
	network *network // nil until the first call; guarded by loading
}

var _ embed.Embedder = (*model)(nil)

func (m *model) Space() corpus.Space   { return m.space(m.name) }
func (m *model) Limit() int            { return m.limit }
func (m *model) Count(text string) int { return m.tokens.Count(text) }

func (m *model) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	n, leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return m.embed(ctx, n, n.queries, m.tokens.Cut(m.query+text, m.limit))
}

func (m *model) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	inputs := make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		inputs[i] = m.tokens.Encode(text)
		if len(inputs[i]) > m.limit {
			return nil, fmt.Errorf("embed documents: %w: text %d of %d has %d tokens, the model takes %d",
				corpus.ErrLimit, i+1, len(texts), len(inputs[i]), m.limit)
		}
	}
	n, leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()

	vectors := make([][]float32, len(texts))
	var taken atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	for range min(m.threads, len(texts)) {
		workers.Go(func() error {
			for i := taken.Add(1) - 1; i < int64(len(texts)); i = taken.Add(1) - 1 {
				var err error
				if vectors[i], err = m.embed(ctx, n, n.documents, inputs[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// embed runs the network over one text, when a runner of the pool is free.
func (m *model) embed(ctx context.Context, n *network, pool chan *runner, ids []int32) ([]float32, error) {
	var r *runner
	select {
	case r = <-pool:
		defer func() { pool <- r }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	hidden, err := r.run(n.session, ids)
	if err != nil {
		return nil, fmt.Errorf("embed text: %w", err)
	}
	v := m.pool(hidden)
	if !embed.Normalize(v) {
		return nil, fmt.Errorf("embed text: %w: the model gave a vector without direction", corpus.ErrInvalid)
	}
	return v, nil
}

// enter loads the network if need be and keeps the model open until leave.
func (m *model) enter(ctx context.Context) (n *network, leave func(), err error) {
	m.running.RLock()
	defer func() {
		if err != nil {
			m.running.RUnlock()
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if m.closed {
		return nil, nil, embed.ErrClosed
	}
	m.loading.Lock()
	defer m.loading.Unlock()
	if m.network == nil {
		start := time.Now()
		if err := verify(m.files.model, m.weights); err != nil {
			return nil, nil, fmt.Errorf("load built-in model: %w", err)
		}
		if m.network, err = loadNetwork(m.files, m.spec, m.threads); err != nil {
			return nil, nil, fmt.Errorf("load built-in model: %w", err)
		}
		m.log.Debug("loaded built-in model", "model", m.name, "threads", m.threads, "took", time.Since(start))
	}
	return m.network, m.running.RUnlock, nil
}

func (m *model) Close() error {
	m.running.Lock()
	defer m.running.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	if m.network == nil {
		return nil
	}
	return m.network.close()
}
