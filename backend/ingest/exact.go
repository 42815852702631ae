package ingest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Exact extracts and divides every document of the plan that is to be made and
// replaces the estimates by what it finds. Documents that cannot be made keep
// their estimate; applying will say why.
func (in *Ingester) Exact(ctx context.Context, p *plan.Reindex, opt PlanOptions) error {
	l := newLook(in, nil, opt)
	l.meter.start(ctx)
	defer l.meter.end()
	return in.exact(ctx, p, l.meter)
}

func (in *Ingester) exact(ctx context.Context, p *plan.Reindex, m *meter) error {
	m.stage(StageExtract)
	sources := make(map[corpus.ID]corpus.Source)
	err := in.Store.View(ctx, func(v store.Reader) error {
		all, err := v.Sources(ctx)
		for _, s := range all {
			sources[s.ID] = s
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read sources: %w", err)
	}
	var todo []*plan.Action
	for i := range p.Actions {
		if p.Actions[i].Kind.Reads() {
			todo = append(todo, &p.Actions[i])
		}
	}
	m.set(func(s *Progress) { s.Documents, s.DocumentsOf = 0, len(todo) })
	counted := &counted{seen: make(map[uint64]bool)}
	budget := semaphore.NewWeighted(memoryBudget)
	err = parallel(ctx, todo, func(ctx context.Context, a *plan.Action) error {
		share, err := newShare(ctx, budget, a.Bytes)
		if err != nil {
			return err
		}
		defer share.release()
		if err := m.control.wait(ctx); err != nil {
			return err
		}
		m.set(func(s *Progress) { s.Current = a.Path })
		c, err := in.compare(ctx, sources[a.Source], *a, share)
		m.set(func(s *Progress) { s.Documents++ })
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			a.Chunks = counted.once(c)
			a.Missing = strings.Join(c.report.Missing(), "; ")
		case !errors.Is(err, corpus.ErrStale) && !errors.Is(err, corpus.ErrUnavailable):
			a.Chunks = plan.Counts{Exact: true}
			a.Missing = "all of it: " + err.Error()
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Total()
	return nil
}

// counted remembers which inputs were counted as to be embedded, over all
// documents of a plan, by the first eight bytes of their hashes.
type counted struct {
	mu   sync.Mutex
	seen map[uint64]bool
}

// once returns a comparison's counts without inputs that were counted before.
func (c *counted) once(cmp *comparison) plan.Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	var need []*corpus.Chunk
	for _, n := range cmp.need {
		if key := binary.BigEndian.Uint64(n.Hash[:8]); !c.seen[key] {
			c.seen[key] = true
			need = append(need, n)
		}
	}
	return cmp.counts(need)
}

// comparison is a document's passages, stored and fresh.
type comparison struct {
	title         string
	report        corpus.Report // of the fresh ones
	stored, fresh []corpus.Chunk
	passages      plan.Passages
	need          []*corpus.Chunk
	have          map[corpus.Hash]bool
	vectors       bool // the model makes any
}

func (c *comparison) counts(need []*corpus.Chunk) plan.Counts {
	n := c.passages.Counts(need)
	if !c.vectors {
		n.Reuse = 0
	}
	return n
}

// compare compares the passages that a document has now, in the live
// generation, with those it would have after the action.
func (in *Ingester) compare(ctx context.Context, src corpus.Source, a plan.Action, s *share) (*comparison, error) {
	c := &comparison{vectors: in.Embedder != nil}
	if a.Kind.Reads() {
		ext, chunks, err := in.fresh(ctx, src, a, s)
		if err == nil {
			err = in.indexable(ext, chunks)
		}
		if err != nil {
			return nil, err
		}
		c.title, c.report, c.fresh = ext.Title, ext.Report, chunks
	}
	err := in.Store.View(ctx, func(v store.Reader) (err error) {
		if !a.Document.IsZero() {
			if c.stored, err = v.Chunks(ctx, 0, a.Document); err != nil {
				return err
			}
		}
		if !a.Kind.Reads() && a.Kind != plan.Removed {
			c.fresh = c.stored
		}
		if !c.vectors {
			return nil
		}
		hashes := make([]corpus.Hash, len(c.fresh))
		for i := range c.fresh {
			hashes[i] = c.fresh[i].Hash
		}
		c.have, err = v.HaveVectors(ctx, in.space, hashes)
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.passages, err = plan.Chunks(c.stored, c.fresh); err != nil {
		return nil, err
	}
	if c.vectors {
		c.need = plan.Inputs(c.fresh, func(h corpus.Hash) bool { return c.have[h] })
	}
	return c, nil
}

// fresh returns a document, under the title that it would have, and its
// passages as they would be now.
func (in *Ingester) fresh(ctx context.Context, src corpus.Source, a plan.Action, s *share) (*corpus.Extraction, []corpus.Chunk, error) {
	if src.Kind == corpus.SourceInline {
		var doc corpus.Document
		err := in.Store.View(ctx, func(v store.Reader) (err error) {
			doc, err = v.Document(ctx, a.Document)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		ext, chunks, err := in.divideStored(ctx, &doc)
		if err != nil {
			return nil, nil, err
		}
		ext.Title, ext.Report = doc.Title, doc.Report // as the text came
		return ext, chunks, nil
	}
	data, _, err := in.load(ctx, src, &a, s)
	if err != nil {
		return nil, nil, err
	}
	ext, chunks, err := in.divide(ctx, a.Source, a.Path, extract.Sniff(corpus.FileName(a.Path), data), a.Document, data)
	if err != nil {
		return nil, nil, err
	}
	ext.Title = titleOf(ext.Title, a.Path)
	return ext, chunks, nil
}

// Comparison shows what an action does to a document's passages.
type Comparison struct {
	Action plan.Action // with exact counts
	Title  string
	Report corpus.Report // on reading the file now
	Rows   []plan.Row
	// Have tells of which passages a vector is at hand, by hash.
	Have map[corpus.Hash]bool
}

// Diff extracts one document of a plan and compares its passages with the
// stored ones. Errors say why it cannot be read; corpus.ErrStale if its file
// changed since it was planned.
func (in *Ingester) Diff(ctx context.Context, a plan.Action) (*Comparison, error) {
	var src corpus.Source
	title := corpus.ShownName(a.Path)
	err := in.Store.View(ctx, func(v store.Reader) error {
		all, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		chosen, err := choose(all, []corpus.ID{a.Source})
		if err != nil {
			return err
		}
		src = chosen[0]
		doc, err := v.Document(ctx, a.Document)
		if err == nil {
			title = doc.Title
		} else if errors.Is(err, corpus.ErrNotFound) {
			err = nil // it is to come in
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("compare passages: %w", err)
	}
	c, err := in.compare(ctx, src, a, nil)
	if err != nil {
		return nil, fmt.Errorf("compare passages of %q: %w", a.Path, err)
	}
	if c.title != "" {
		title = c.title
	}
	a.Chunks = c.counts(c.need)
	return &Comparison{Action: a, Title: title, Report: c.report, Rows: plan.Diff(c.stored, c.fresh), Have: c.have}, nil
}
