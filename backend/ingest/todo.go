package ingest

import (
	"context"
	"fmt"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// todo is a plan's work in the order in which it is done.
type todo struct {
	refresh  map[corpus.ID]corpus.Fingerprint
	moves    []plan.Action
	texts    []plan.Action // committed as soon as they are read
	swaps    []plan.Action // committed with their vectors
	removals []plan.Action
}

// check refuses a plan that is not for this library, this model or this
// consent, and reads the ledger's side of it. It changes nothing.
func (r *run) check(ctx context.Context, p *plan.Reindex) error {
	if p.Model != r.space.String() || p.Analyzer != "" && p.Analyzer != analyze.Version {
		return fmt.Errorf("apply plan: %w: nothing was changed, the plan is for another embedding model or word analysis", corpus.ErrStale)
	}
	r.sources = make(map[corpus.ID]corpus.Source)
	r.ledger = make(map[corpus.ID]corpus.Document)
	r.places = make(map[place]corpus.ID)
	owned := make(map[corpus.ID]store.Tally)
	err := r.Store.View(ctx, func(v store.Reader) error {
		info, err := v.Info(ctx)
		if err != nil {
			return err
		}
		if info.Library != p.Base.Library {
			return fmt.Errorf("%w: nothing was changed, the plan is of another library", corpus.ErrStale)
		}
		sources, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		for _, s := range sources {
			r.sources[s.ID] = s
		}
		if owned, err = v.Tally(ctx, 0); err != nil {
			return err
		}
		return r.consult(ctx, v, p, info.Documents)
	})
	if err != nil {
		return fmt.Errorf("apply plan: %w", err)
	}
	// Counted here and not taken from the plan, which may have been edited.
	guarded := 0
	for source, n := range p.Removals() {
		if g := plan.NewGuard(n, owned[source].Documents); g != nil {
			guarded += g.Removals
		}
	}
	if guarded > r.opt.AllowRemovals {
		return &GuardError{Removals: guarded, Allowed: r.opt.AllowRemovals}
	}
	return nil
}

// consult reads the records of the documents that the plan changes, and of
// those that are where it wants to put one. Of a library that is not much
// larger than the plan it reads all.
func (r *run) consult(ctx context.Context, v store.Reader, p *plan.Reindex, documents int) error {
	changed := make(map[corpus.ID]bool)
	wanted := make(map[place]bool)
	w := store.Where{Places: make(map[corpus.ID][]string)}
	for i := range p.Actions {
		a := &p.Actions[i]
		if !a.Kind.IsWork() && a.Fingerprint == (corpus.Fingerprint{}) {
			continue
		}
		changed[a.Document] = true
		w.IDs = append(w.IDs, a.Document)
		if at := (place{a.Source, a.Path}); a.Kind.IsWork() && !wanted[at] {
			wanted[at] = true
			w.Places[a.Source] = append(w.Places[a.Source], a.Path)
		}
	}
	note := func(d corpus.Document) {
		if changed[d.ID] {
			r.ledger[d.ID] = d
		}
		if at := (place{d.Source, d.Path}); wanted[at] {
			r.places[at] = d.ID
		}
	}
	const few = 4 // looking one up costs as much as reading so many in order
	if few*len(w.IDs) < documents {
		found, err := v.Find(ctx, w)
		for _, d := range found {
			note(d)
		}
		return err
	}
	for d, err := range v.Documents(ctx, corpus.NoID) {
		if err != nil {
			return err
		}
		note(d)
	}
	return nil
}

// place is where a document is.
type place struct {
	source corpus.ID
	path   string
}

// sort divides the plan's actions by how they are applied; stale ones are
// skipped and named.
func (r *run) sort(p *plan.Reindex) todo {
	t := todo{refresh: make(map[corpus.ID]corpus.Fingerprint)}
	for i := range p.Actions {
		a := p.Actions[i]
		doc, known := r.ledger[a.Document]
		switch {
		case a.Kind == plan.Busy:
			r.skip(a, a.Reason)
			continue
		case a.Kind == plan.Unsupported:
			r.result.Unsupported++
			continue
		case a.Kind == plan.Failed && a.Code != plan.ExtractionFailed:
			r.fail(a, a.Reason)
			continue
		case a.Kind == plan.Unchanged && known && a.Revision == doc.Revision && a.Fingerprint != (corpus.Fingerprint{}):
			t.refresh[a.Document] = a.Fingerprint
			continue
		case !a.Kind.IsWork():
			continue
		}
		if reason := r.stale(&a, doc, known); reason != "" {
			r.skip(a, reason)
			continue
		}
		switch {
		case a.Kind == plan.Moved:
			t.moves = append(t.moves, a)
		case a.Kind == plan.Removed:
			t.removals = append(t.removals, a)
		case r.waits(&a, &doc):
			t.swaps = append(t.swaps, a)
		default:
			t.texts = append(t.texts, a)
		}
	}
	r.meter.set(func(p *Progress) {
		p.DocumentsOf = p.Documents + len(t.moves) + len(t.texts) + len(t.swaps) + len(t.removals)
	})
	return t
}

// stale says in words why the ledger no longer fits the action, or "".
func (r *run) stale(a *plan.Action, doc corpus.Document, known bool) string {
	if _, ok := r.sources[a.Source]; !ok {
		return "its source was removed since it was planned"
	}
	if other, taken := r.places[place{a.Source, a.Path}]; taken && other != a.Document {
		return "another document has its place since it was planned"
	}
	switch {
	case known == (a.Revision == 0), known && doc.Revision != a.Revision: // 0: it is to come in
		return "the library changed since it was planned"
	}
	return ""
}

// waits reports whether a document is committed only with its vectors: one
// that changed while its old version was fully embedded, or any if
// vectors are required. While a generation is built nobody searches it, so
// nothing waits.
func (r *run) waits(a *plan.Action, doc *corpus.Document) bool {
	if r.engine == nil || r.building() {
		return false
	}
	return r.opt.Strict || a.Kind == plan.Updated && doc.Chunks > 0 && doc.Embedded == doc.Chunks
}

// done notes that an action was applied.
func (r *run) done(a plan.Action) {
	r.mu.Lock()
	switch a.Kind {
	case plan.Added:
		r.result.Added++
	case plan.Updated:
		r.result.Updated++
	case plan.Moved:
		r.result.Moved++
	case plan.Repair:
		r.result.Repaired++
	case plan.Removed:
		r.result.Removed++
	}
	r.mu.Unlock()
	r.meter.outcome(a, Done, "")
}

// skip notes that an action no longer fits.
func (r *run) skip(a plan.Action, reason string) {
	r.mu.Lock()
	r.result.Skipped = append(r.result.Skipped, problem(a, reason))
	r.mu.Unlock()
	r.meter.outcome(a, Skipped, reason)
}

// leave notes that a document is of a type that nothing reads.
func (r *run) leave(a plan.Action, reason string) {
	r.mu.Lock()
	r.result.Unsupported++
	r.mu.Unlock()
	r.meter.outcome(a, Unsupported, reason)
}

// unseen lists the sources of a plan of which something could not be looked at.
func unseen(sources []plan.Source) (list []Unseen) {
	for _, s := range sources {
		if s.State == plan.SourceMissing || s.State == plan.SourcePartial && s.Detail != "" {
			list = append(list, Unseen{Source: s.ID, Name: s.Name, Part: s.State == plan.SourcePartial, Detail: s.Detail})
		}
	}
	return list
}

// fail notes that a document could not be made.
func (r *run) fail(a plan.Action, reason string) {
	r.mu.Lock()
	r.result.Failed = append(r.result.Failed, problem(a, reason))
	r.mu.Unlock()
	r.Log.Warn("document failed", "path", a.Path, "document", a.Document, "reason", reason)
	r.meter.outcome(a, Failed, reason)
}

func problem(a plan.Action, reason string) Problem {
	return Problem{Source: a.Source, Path: a.Path, Document: a.Document, Error: reason}
}
