package ingest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Batch is a request to take documents in.
type Batch struct {
	Source    corpus.Source
	NewSource bool // the source is put together with them
	Documents []Inline
	// Event is kept in the same transaction; Ingest adds the documents and counts.
	Event store.Event
}

// What became of an inline document.
const (
	InlineAdded     = "added"
	InlineUpdated   = "updated"   // its text, its title or how texts are divided changed
	InlineLabelled  = "labelled"  // only its labels changed: nothing is embedded
	InlineUnchanged = "unchanged" // nothing is written
)

// Ingested is what taking documents in did.
type Ingested struct {
	Fates     []string // of the documents, in the order of the request
	Documents []corpus.ID
	Result
}

// Ingest takes documents in, all of them or none: texts are read and
// divided, every vector is computed, and then all is committed in one
// transaction. Documents that are not named stay as they are. The Ingester is
// to be that of the live generation. Of opt, AllowRemovals, NoWait and Strict
// do not matter. Errors, after which the library is as before:
//
//   - corpus.ErrLimit, corpus.ErrInvalid: a document that cannot be taken in, by name
//   - corpus.ErrUnavailable: the model gave not all vectors
//   - corpus.ErrStale: the library waits for a plan that makes it anew
//   - corpus.ErrBusy, and those of the store and of ctx
func (in *Ingester) Ingest(ctx context.Context, b Batch, opt ApplyOptions) (Ingested, error) {
	if err := CheckInline(b.Documents); err != nil {
		return Ingested{}, err
	}
	var out Ingested
	var err error
	out.Result, err = in.start(ctx, opt, func(ctx context.Context, r *run) error { return r.ingest(ctx, b, &out) })
	return out, err
}

// taking is one document on its way in.
type taking struct {
	*Inline
	prior *corpus.Document // nil: new
	whole bool             // what is stored of it is as the ledger says
	fate  string
	made  *made           // with passages; nil: not needed
	label corpus.Document // the record to write where only labels changed
}

func (r *run) ingest(ctx context.Context, b Batch, out *Ingested) error {
	if err := r.ingestible(ctx); err != nil {
		return err
	}
	r.meter.stage(StageExtract)
	r.meter.set(func(p *Progress) { p.DocumentsOf = len(b.Documents) })
	list, err := r.takeIn(ctx, b)
	if err != nil {
		return err
	}
	batch := store.Batch{Events: []store.Event{b.Event}}
	if b.NewSource {
		batch.Source = &b.Source
	}
	var all []*made
	for _, t := range list {
		out.Fates = append(out.Fates, t.fate)
		out.Documents = append(out.Documents, InlineID(r.Tenant, b.Source.ID, t.ID))
		switch t.fate {
		case InlineAdded, InlineUpdated:
			all = append(all, t.made)
		case InlineLabelled:
			batch.Records = append(batch.Records, t.label)
		}
	}
	if len(all)+len(batch.Records) == 0 && !b.NewSource {
		return nil
	}
	fresh, err := r.embedAll(ctx, all)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		if _, err := r.open(ctx, true); err != nil {
			return err
		}
	}
	for _, m := range all {
		m.change.Generation, m.change.Strict = r.gen.ID, r.engine != nil
		batch.Changes = append(batch.Changes, m.change)
	}
	r.note(&batch.Events[0], out, all, fresh)
	committed, err := r.w.Ingest(ctx, batch)
	if err != nil {
		return fmt.Errorf("commit documents: %w", err)
	}
	for i, c := range committed {
		r.committed(all[i], c, fresh)
	}
	return nil
}

// ingestible refuses to write where the library was made with other rules than
// this program would write with: that takes a plan.
func (r *run) ingestible(ctx context.Context) error {
	found, err := r.open(ctx, false)
	if err != nil {
		return err
	}
	if r.live.ID != 0 && (!found || r.building()) {
		return fmt.Errorf("%w: the library was made with another model or word analysis than this program has", corpus.ErrStale)
	}
	return nil
}

// InlineID is the id of an inline document: it never moves, so that it is the
// first and only one at its path.
func InlineID(tenant, source corpus.ID, path string) corpus.ID {
	return plan.DocumentID(tenant, source, path, 0)
}

// takeIn reads and divides what changed, in parallel and within the bounds.
func (r *run) takeIn(ctx context.Context, b Batch) ([]*taking, error) {
	list := make([]*taking, len(b.Documents))
	err := r.Store.View(ctx, func(v store.Reader) error {
		for i := range b.Documents {
			list[i] = &taking{Inline: &b.Documents[i]}
			doc, err := v.Document(ctx, InlineID(r.Tenant, b.Source.ID, b.Documents[i].ID))
			switch {
			case errors.Is(err, corpus.ErrNotFound):
				continue
			case err == nil:
				list[i].prior = &doc
				list[i].whole, err = whole(ctx, v, &doc)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read library: %w", err)
	}
	passages := newTally(corpus.MaxIngestChunks)
	return list, parallel(ctx, list, func(ctx context.Context, t *taking) error {
		if err := r.opt.Control.wait(ctx); err != nil {
			return err
		}
		r.meter.set(func(p *Progress) { p.Current = t.ID })
		if err := r.take(ctx, b.Source.ID, t, passages); err != nil {
			return fmt.Errorf("document %q: %w", t.ID, err)
		}
		r.meter.set(func(p *Progress) { p.Documents++ })
		return nil
	})
}

// whole reports whether a document's text and passages are there: one that is
// damaged is mended by taking it in again, though nothing of it changed.
func whole(ctx context.Context, v store.Reader, doc *corpus.Document) (bool, error) {
	if _, _, err := v.Text(ctx, 0, doc.ID); err != nil {
		if errors.Is(err, corpus.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	chunks, err := v.Chunks(ctx, 0, doc.ID)
	return len(chunks) == doc.Chunks, err
}

// take decides what becomes of a document, and makes its passages if they
// have to be made.
func (r *run) take(ctx context.Context, source corpus.ID, t *taking, passages *tally) error {
	mediaType := t.mediaType()
	content, recipe := t.content(), r.recipe(source, inlineName(mediaType), mediaType)
	p := t.prior
	same := t.whole && p.State == corpus.DocumentIndexed && p.Content == content && p.Recipe == recipe && p.Chunks > 0
	ext := &corpus.Extraction{}
	if !same || mediaType == extract.TypeMarkdown { // whose front matter has labels
		var err error
		if ext, err = r.extractInline(ctx, mediaType, t.Text); err != nil {
			return asInvalid(ctx, err)
		}
	}
	labels := t.labels(ext.Metadata)
	if err := labels.Validate(); err != nil { // with those of the front matter
		return err
	}
	if same {
		t.fate = InlineUnchanged
		if len(labels) != len(p.Metadata) || len(labels) > 0 && !reflect.DeepEqual(labels, p.Metadata) {
			t.fate, t.label = InlineLabelled, *p
			t.label.Metadata = labels
		}
		return nil
	}
	now := time.Now().UTC()
	doc := corpus.Document{ID: InlineID(r.Tenant, source, t.ID), Source: source, Path: t.ID}
	t.fate = InlineAdded
	if t.prior != nil {
		doc, t.fate = *t.prior, InlineUpdated
	}
	if title := t.title(); title != "" {
		ext.Title = title
	}
	chunks, err := r.cut(source, inlineName(mediaType), mediaType, doc.ID, ext)
	if err != nil {
		return asInvalid(ctx, err)
	}
	if err := checkPassages(chunks, passages); err != nil {
		return err
	}
	doc.Title = ext.Title
	if doc.Title == "" {
		doc.Title = t.ID
	}
	doc.Content, doc.Fingerprint = content, corpus.Fingerprint{Size: int64(len(t.Text)), ModTime: now.UnixNano()}
	doc.Type, doc.Language, doc.Metadata, doc.Report = mediaType, analyze.Language(ext.Text), labels, ext.Report
	doc.Recipe, doc.State, doc.Error, doc.IndexedAt = recipe, corpus.DocumentIndexed, "", now
	entries, err := r.entries(chunks, doc.Language)
	if err != nil {
		return asInvalid(ctx, err)
	}
	kind := plan.Added
	if t.prior != nil {
		kind = plan.Updated
	}
	t.made = &made{
		action: plan.Action{Kind: kind, Source: source, Path: t.ID, Document: doc.ID, Bytes: int64(len(t.Text)), Content: content},
		change: store.Change{From: doc.Revision, Document: doc, Text: ext.Text, Entries: entries},
	}
	return nil
}

// asInvalid says that a document's text cannot be taken in.
func asInvalid(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, corpus.ErrLimit) || errors.Is(err, corpus.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w: %w", corpus.ErrInvalid, err)
}

// checkPassages checks the passages of one document and adds them to those of
// the request.
func checkPassages(chunks []corpus.Chunk, request *tally) error {
	if len(chunks) == 0 {
		return fmt.Errorf("%w: its text has nothing that could be found; to remove a document, delete it", corpus.ErrInvalid)
	}
	for i := range chunks {
		if n := utf8.RuneCountInString(chunks[i].Content); n > corpus.MaxChunkCharacters {
			return fmt.Errorf("%w: its passage %d has %d characters, at most %d", corpus.ErrLimit, i+1, n, corpus.MaxChunkCharacters)
		}
	}
	if !request.add(len(chunks)) {
		return fmt.Errorf("%w: with it the request makes more than %d passages; divide it", corpus.ErrLimit, request.most)
	}
	return nil
}

// embedAll computes every vector that the documents lack and returns the
// inputs that were embedded. What a failing request has paid for stays in the
// cache, where it is found by the next one.
func (r *run) embedAll(ctx context.Context, all []*made) (map[corpus.Hash]bool, error) {
	if r.engine == nil || len(all) == 0 {
		return nil, nil
	}
	need, err := r.lacking(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("look up vectors: %w", err)
	}
	fresh := make(map[corpus.Hash]bool, len(need))
	for _, i := range need {
		fresh[i.hash] = true
	}
	r.meter.stage(StageEmbed)
	r.meter.set(func(p *Progress) { p.ChunksOf += len(need) })
	if err := r.engine.run(ctx, need, time.Time{}); err != nil {
		return nil, err
	}
	if err := r.engine.stopped(); err != nil {
		return nil, fmt.Errorf("%w: the embedding model gave no vectors, so nothing was taken in: %w", corpus.ErrUnavailable, err)
	}
	for _, m := range all {
		for i := range m.change.Entries {
			if err := r.engine.refused[m.change.Entries[i].Chunk.Hash]; err != nil {
				return nil, fmt.Errorf("document %q: %w: the embedding model refuses its passage %d: %w", m.action.Path, corpus.ErrInvalid, i+1, err)
			}
		}
	}
	return fresh, nil
}

// note writes into an event what is about to be committed.
func (r *run) note(e *store.Event, out *Ingested, all []*made, fresh map[corpus.Hash]bool) {
	counts := map[string]int{"documents": len(out.Fates), "embedded": len(fresh)}
	for i, fate := range out.Fates {
		counts[fate]++
		if fate != InlineUnchanged && len(e.Documents) < store.MaxEventDocuments {
			e.Documents = append(e.Documents, out.Documents[i])
		}
	}
	for _, m := range all {
		counts["passages"] += len(m.change.Entries)
	}
	e.Counts = counts
}
