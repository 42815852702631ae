package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Dump returns everything of a library that a fresh build of the same sources
// would also have, in a canonical order and form: two libraries are equal if
// their dumps are. Left out are ids, times, fingerprints, revisions, runs and
// cached vectors; vectors show as being there or not.
func Dump(ctx context.Context, tb testing.TB, s store.Store) string {
	tb.Helper()
	var b strings.Builder
	if err := s.View(ctx, func(r store.Reader) error { return dump(ctx, r, &b) }); err != nil {
		tb.Fatalf("dump library: %v", err)
	}
	return b.String()
}

// dump writes the dump of one snapshot.
func dump(ctx context.Context, r store.Reader, w io.Writer) error {
	sources, err := r.Sources(ctx)
	if err != nil {
		return err
	}
	roots := make(map[corpus.ID]string, len(sources))
	for _, s := range sources {
		roots[s.ID] = s.Root
	}
	var docs []corpus.Document
	for d, err := range r.Documents(ctx, corpus.NoID) {
		if err != nil {
			return err
		}
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b corpus.Document) int {
		return cmp.Or(cmp.Compare(roots[a.Source], roots[b.Source]), cmp.Compare(a.Path, b.Path), slices.Compare(a.ID[:], b.ID[:]))
	})
	info, err := r.Info(ctx)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	slices.SortFunc(sources, func(a, b corpus.Source) int { return cmp.Compare(a.Root, b.Root) })
	for _, s := range sources {
		if err := out.Encode(map[string]any{"source": s.Root, "kind": s.Kind, "name": s.Name}); err != nil {
			return err
		}
	}
	for _, d := range docs {
		if err := out.Encode(map[string]any{
			"document": d.Path, "root": roots[d.Source], "content": d.Content, "type": d.Type, "title": d.Title, "language": d.Language,
			"metadata": d.Metadata, "state": d.State, "error": d.Error, "recipe": d.Recipe, "report": d.Report,
		}); err != nil {
			return err
		}
	}
	for _, g := range info.Generations {
		if err := out.Encode(map[string]any{"generation": g.Space.String(), "analyzer": g.Analyzer, "live": g.Live}); err != nil {
			return err
		}
		if err := dumpGeneration(ctx, r, g, docs, out); err != nil {
			return err
		}
	}
	rows, err := r.Rows(ctx)
	if err != nil {
		return err
	}
	delete(rows, "cached")
	return out.Encode(map[string]any{"rows": rows})
}

func dumpGeneration(ctx context.Context, r store.Reader, g store.Generation, docs []corpus.Document, out *json.Encoder) error {
	recipes, err := r.Recipes(ctx, g.ID)
	if err != nil {
		return err
	}
	for _, d := range docs {
		made, ok := recipes[d.ID]
		if !ok {
			continue
		}
		text, _, err := r.Text(ctx, g.ID, d.ID)
		if err != nil {
			return fmt.Errorf("dump document %q: %w", d.Path, err)
		}
		chunks, err := r.Chunks(ctx, g.ID, d.ID)
		if err != nil {
			return fmt.Errorf("dump document %q: %w", d.Path, err)
		}
		for i := range chunks {
			chunks[i].ID = corpus.NoID
		}
		if err := out.Encode(map[string]any{"passages of": d.Path, "recipe": made.Recipe, "embedded": made.Embedded, "text": text, "chunks": chunks}); err != nil {
			return err
		}
	}
	return nil
}
