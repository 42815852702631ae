package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// recordBatch is how many ledger records or removals go into one transaction.
const recordBatch = 256

// move gives documents their new places. Nothing of their content is read: a
// file that changed since it was planned has another fingerprint and shows up
// in the next plan.
func (r *run) move(ctx context.Context, actions []plan.Action) error {
	for batch := range slices.Chunk(actions, recordBatch) {
		if err := r.opt.Control.wait(ctx); err != nil {
			return err
		}
		docs := make([]corpus.Document, len(batch))
		err := r.Store.View(ctx, func(v store.Reader) (err error) {
			for i := range batch {
				docs[i] = r.ledger[batch[i].Document]
				if docs[i].Title, err = movedTitle(ctx, v, docs[i], batch[i].Path); err != nil {
					return err
				}
				docs[i].Source, docs[i].Path, docs[i].Fingerprint = batch[i].Source, batch[i].Path, batch[i].Fingerprint
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.recordMoves(ctx, batch, docs); err != nil {
			return err
		}
	}
	return nil
}

// movedTitle is a document's title under another file name: that name, unless
// the content has a title of its own.
func movedTitle(ctx context.Context, v store.Reader, doc corpus.Document, to string) (string, error) {
	if doc.Title != corpus.ShownName(doc.Path) || doc.Title == corpus.ShownName(to) {
		return doc.Title, nil
	}
	chunks, err := v.Chunks(ctx, 0, doc.ID)
	if err != nil {
		return "", err
	}
	if len(chunks) > 0 && chunks[0].Title == doc.Title {
		return doc.Title, nil
	}
	return corpus.ShownName(to), nil
}

func (r *run) recordMoves(ctx context.Context, batch []plan.Action, docs []corpus.Document) error {
	err := r.w.Record(ctx, docs...)
	switch {
	case err == nil:
		for _, a := range batch {
			r.done(a)
		}
	case !ofDocument(err) || ctx.Err() != nil:
		return fmt.Errorf("record moved documents: %w", err)
	case len(batch) > 1:
		for i := range batch {
			if err := r.recordMoves(ctx, batch[i:i+1], docs[i:i+1]); err != nil {
				return err
			}
		}
	case errors.Is(err, corpus.ErrStale):
		r.skip(batch[0], "the library changed since it was planned")
	default:
		r.fail(batch[0], err.Error())
	}
	return nil
}

// remove deletes the documents whose files are gone. A file that came back
// since it was planned keeps its document.
func (r *run) remove(ctx context.Context, actions []plan.Action) error {
	for batch := range slices.Chunk(actions, recordBatch) {
		if err := r.opt.Control.wait(ctx); err != nil {
			return err
		}
		var gone []plan.Action
		for _, a := range batch {
			reason, err := r.back(ctx, a)
			switch {
			case err != nil && ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				r.skip(a, err.Error())
			case reason != "":
				r.skip(a, reason)
			default:
				gone = append(gone, a)
			}
		}
		if err := r.removeAll(ctx, gone); err != nil {
			return err
		}
	}
	return nil
}

// back says in words why a document's removal no longer fits its file, or "".
func (r *run) back(ctx context.Context, a plan.Action) (string, error) {
	if a.Code == plan.Excluded {
		return "", nil
	}
	there, err := r.Files.Exists(ctx, r.sources[a.Source], a.Path)
	if err != nil || !there {
		return "", err
	}
	if a.Code != plan.UnsupportedType {
		return "file is back since it was planned", nil
	}
	if _, still := r.unsupported(ctx, r.sources[a.Source], a.Path); !still {
		return "file changed since it was planned", nil
	}
	return "", nil
}

func (r *run) removeAll(ctx context.Context, batch []plan.Action) error {
	refs := make([]store.Ref, len(batch))
	for i, a := range batch {
		refs[i] = store.Ref{Document: a.Document, Revision: a.Revision}
	}
	err := r.w.Remove(ctx, refs...)
	switch {
	case err == nil:
		for _, a := range batch {
			r.mu.Lock()
			r.result.PassagesRemoved += r.ledger[a.Document].Chunks
			r.mu.Unlock()
			r.done(a)
		}
	case !errors.Is(err, corpus.ErrStale) || ctx.Err() != nil:
		return fmt.Errorf("remove documents: %w", err)
	case len(batch) > 1:
		for i := range batch {
			if err := r.removeAll(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
	default:
		r.skip(batch[0], "the library changed since it was planned")
	}
	return nil
}
