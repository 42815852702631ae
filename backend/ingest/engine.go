package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

const (
	// embedCalls is how many calls to the embedder are in flight: one works
	// while the answer of the other is stored.
	embedCalls = 2
	// A batch is sized so that a call takes about batchTime: pausing and
	// cancelling act between calls, and a crash loses at most those in flight.
	batchTime = 500 * time.Millisecond
	batchMin  = 4
	batchMax  = 128
)

// input is a text that needs a vector.
type input struct {
	hash   corpus.Hash
	text   string
	tokens int
}

// vectorStore keeps vectors; store.Writer does.
type vectorStore interface {
	PutVectors(ctx context.Context, space corpus.Space, vectors map[corpus.Hash][]float32) error
}

// engine embeds inputs and stores each batch as it arrives. One engine serves
// one run: it learns the batch size, knows which inputs the model refuses, and
// stays stopped once the provider failed for good.
type engine struct {
	embedder embed.Embedder
	vectors  vectorStore
	control  *Control
	meter    *meter

	mu      sync.Mutex
	batch   int
	refused map[corpus.Hash]error // inputs that can have no vector
	count   int                   // vectors stored
	tokens  int
	failure error // why no more is embedded
}

func newEngine(e embed.Embedder, v vectorStore, c *Control, m *meter) *engine {
	return &engine{embedder: e, vectors: v, control: c, meter: m, batch: batchMin, refused: make(map[corpus.Hash]error)}
}

// stopped returns why the engine embeds no more, or nil.
func (e *engine) stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failure
}

// stop ends the embedding; what is in flight is still stored.
func (e *engine) stop(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure == nil {
		e.failure = err
	}
}

// run embeds the inputs, whose hashes differ. No batch is begun after the
// deadline; a zero deadline is none. Embedder failures are kept in stopped;
// an error is the store's or ctx's.
func (e *engine) run(ctx context.Context, inputs []input, deadline time.Time) error {
	// Not the group's context: when one call fails, what others have paid for
	// is still stored.
	var g errgroup.Group
	var mu sync.Mutex
	next := func() []input {
		mu.Lock()
		defer mu.Unlock()
		if !deadline.IsZero() && !time.Now().Before(deadline) || e.stopped() != nil || e.control.yields() {
			return nil
		}
		n := min(len(inputs), e.size())
		batch := inputs[:n]
		inputs = inputs[n:]
		return batch
	}
	for range embedCalls {
		g.Go(func() error {
			for {
				if err := e.control.wait(ctx); err != nil {
					return err
				}
				batch := next()
				if len(batch) == 0 {
					return nil
				}
				if err := e.call(ctx, batch); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// size of the next batch.
func (e *engine) size() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.batch
}

// learn adapts the batch size to how long a call of n inputs took.
func (e *engine) learn(n int, took time.Duration) {
	fit := batchMax
	if took > 0 {
		fit = int(float64(n) * float64(batchTime) / float64(took))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch = min(max(fit, batchMin), 2*e.batch, batchMax)
}

// call embeds one batch. Where the model refuses a text, the batch is halved
// until the culprit stands alone.
func (e *engine) call(ctx context.Context, batch []input) error {
	texts := make([]string, len(batch))
	for i := range batch {
		texts[i] = batch[i].text
	}
	began := time.Now()
	e.meter.calling(1)
	vectors, err := e.embedder.EmbedDocuments(ctx, texts)
	e.meter.calling(-1)
	switch {
	case err == nil:
		if err := embed.Validate(vectors, len(batch), e.embedder.Space()); err != nil {
			e.stop(err)
			return nil
		}
		e.learn(len(batch), time.Since(began))
		// What was paid for is stored even if the run was cancelled meanwhile.
		return e.keep(context.WithoutCancel(ctx), batch, vectors)
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, corpus.ErrLimit) && !errors.Is(err, corpus.ErrInvalid):
		e.stop(err)
		return nil
	case len(batch) == 1:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.refused[batch[0].hash] = err
		return nil
	}
	half := len(batch) / 2
	if err := e.call(ctx, batch[:half]); err != nil || e.stopped() != nil {
		return err
	}
	return e.call(ctx, batch[half:])
}

// keep stores the vectors of a batch.
func (e *engine) keep(ctx context.Context, batch []input, vectors [][]float32) error {
	byHash := make(map[corpus.Hash][]float32, len(batch))
	tokens := 0
	for i := range batch {
		byHash[batch[i].hash] = vectors[i]
		tokens += batch[i].tokens
	}
	if err := e.vectors.PutVectors(ctx, e.embedder.Space(), byHash); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	e.mu.Lock()
	e.count += len(batch)
	e.tokens += tokens
	e.mu.Unlock()
	e.meter.set(func(p *Progress) { p.Chunks += len(batch); p.Tokens += tokens })
	return nil
}
