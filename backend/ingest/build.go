package ingest

import (
	"context"
	"fmt"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/store"
)

// building reports whether the run writes to a generation that is not live.
func (r *run) building() bool { return r.gen.ID != r.live.ID }

// open finds the generation to write to, and makes it if create is set. It
// reports whether there is one.
func (r *run) open(ctx context.Context, create bool) (bool, error) {
	var err error
	if create {
		if r.gen, err = r.w.Build(ctx, r.space, analyze.Version); err != nil {
			return false, fmt.Errorf("open generation: %w", err)
		}
	}
	err = r.Store.View(ctx, func(v store.Reader) error {
		info, err := v.Info(ctx)
		if err != nil {
			return err
		}
		for _, g := range info.Generations {
			if !create && g.Space == r.space && g.Analyzer == analyze.Version {
				r.gen = g
			}
			if g.Live {
				r.live = g
			}
		}
		return nil
	})
	return r.gen.ID != 0, err
}

// carry takes documents over into the generation under construction that could
// not be made anew from their files: those that failed, that are unavailable
// or busy, or that the plan left out. Their stored passages are kept where
// they fit the model, else their stored text is divided as plain text. They
// keep the recipe they were made with, so that a later plan makes them anew
// when their file can be read.
func (r *run) carry(ctx context.Context) error {
	var left []corpus.Document
	made := map[corpus.ID]store.Made{}
	err := r.Store.View(ctx, func(v store.Reader) (err error) {
		if made, err = v.Recipes(ctx, r.live.ID); err != nil {
			return err
		}
		built, err := v.Recipes(ctx, r.gen.ID)
		if err != nil {
			return err
		}
		for doc, err := range v.Documents(ctx, corpus.NoID) {
			if err != nil {
				return err
			}
			_, is := made[doc.ID]
			if _, done := built[doc.ID]; is && !done {
				left = append(left, doc)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read documents to carry over: %w", err)
	}
	for _, doc := range left {
		if err := r.opt.Control.wait(ctx); err != nil {
			return err
		}
		if err := r.carryOne(ctx, doc, made[doc.ID].Recipe); err != nil {
			return fmt.Errorf("carry %q over: %w", doc.Path, err)
		}
	}
	return nil
}

func (r *run) carryOne(ctx context.Context, doc corpus.Document, recipe string) error {
	var text string
	var chunks []corpus.Chunk
	err := r.Store.View(ctx, func(v store.Reader) (err error) {
		if text, _, err = v.Text(ctx, r.live.ID, doc.ID); err != nil {
			return err
		}
		chunks, err = v.Chunks(ctx, r.live.ID, doc.ID)
		return err
	})
	if err != nil {
		return err
	}
	if !r.fits(chunks) {
		ext, err := r.Extract.Extract(ctx, extract.Input{Name: "stored.txt", Type: extract.TypePlain, Data: []byte(text)})
		if err != nil {
			return err
		}
		ext.Title = chunks[0].Title
		if chunks, err = r.cut(doc.Source, doc.Path, extract.TypePlain, doc.ID, ext); err != nil {
			return err
		}
		text = ext.Text
	}
	entries, err := r.entries(chunks, doc.Language)
	if err != nil {
		return err
	}
	change := store.Change{Generation: r.gen.ID, From: doc.Revision, Document: doc, Text: text, Entries: entries}
	change.Document.Recipe = recipe
	committed, err := r.w.Commit(ctx, change)
	if err != nil || doc.Recipe == recipe {
		return err
	}
	// A failed document's own recipe is that of the attempt which failed.
	doc.Revision = committed[0].Revision
	return r.w.Record(ctx, doc)
}

// fits reports whether the model takes every passage, and sets their sizes as
// it counts them.
func (r *run) fits(chunks []corpus.Chunk) bool {
	if r.Embedder == nil {
		return true
	}
	for i := range chunks {
		chunks[i].Tokens = r.Embedder.Count(chunks[i].Input())
		if chunks[i].Tokens > r.Embedder.Limit() {
			return false
		}
	}
	return true
}

// switchOver makes the built generation live, if it is complete: every
// document of the live one is in it, and no passage waits for a vector but
// those that the model refuses.
func (r *run) switchOver(ctx context.Context) error {
	complete := true
	err := r.Store.View(ctx, func(v store.Reader) error {
		live, err := v.Recipes(ctx, r.live.ID)
		if err != nil {
			return err
		}
		built, err := v.Recipes(ctx, r.gen.ID)
		if err != nil {
			return err
		}
		for id := range live {
			if _, ok := built[id]; !ok {
				complete = false
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("check new generation: %w", err)
	}
	if complete && r.engine != nil {
		pending, err := r.pending(ctx)
		if err != nil {
			return err
		}
		complete = len(pending) == 0
	}
	if !complete {
		return nil
	}
	r.meter.stage(StageSwitch)
	if err := r.w.Switch(ctx, r.gen.ID); err != nil {
		return fmt.Errorf("switch generation: %w", err)
	}
	r.live = r.gen
	r.result.Switched = true
	return nil
}
