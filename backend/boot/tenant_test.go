package boot

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
)

// TestForeignTenant: no use case of a library shows or changes anything of
// another tenant in the same database, whatever ids are named (K1, S99).
func TestForeignTenant(t *testing.T) {
	server := pgtest.Serve(t)
	ctx, url, notes := t.Context(), server.Database(t).URL(), t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "secret.md"), []byte("# Secret\n\nThe vault opens at midnight.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(tenant corpus.ID) *Library {
		o := Options{
			Library: t.TempDir(), Settings: map[string]string{"embeddings": "hash", "database": url},
			Getenv: func(string) string { return "" },
		}.complete()
		_, conf, err := o.configure()
		if err != nil {
			t.Fatal(err)
		}
		st, err := openStore(ctx, url, "", tenant, o.Log)
		if err != nil {
			t.Fatal(err)
		}
		l := assemble(o, conf, st, "")
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		return l
	}
	theirs, ours := open(corpus.NewID()), open(corpus.LocalTenant)
	if err := theirs.index(ctx, notes, nil); err != nil {
		t.Fatal(err)
	}
	mine, err := theirs.Search(ctx, api.SearchRequest{Query: "vault"})
	if err != nil || len(mine.Hits) != 1 {
		t.Fatalf("the owner finds %+v, %v", mine.Hits, err)
	}
	hit := mine.Hits[0]

	for _, mode := range []string{"keyword", "hybrid"} {
		if found, err := ours.Search(ctx, api.SearchRequest{Query: "vault midnight", Mode: mode}); err != nil || len(found.Hits) > 0 || !slices.Contains(found.Unknown, "vault") {
			t.Errorf("%s search: %+v, %v", mode, found, err)
		}
	}
	if a, err := ours.Ask(ctx, api.AskRequest{Question: "When does the vault open?"}); err != nil || a.Sufficient || len(a.Citations)+len(a.Considered) > 0 {
		t.Errorf("ask: %+v, %v", a, err)
	}
	if s, err := ours.Sources(ctx, api.SourcesRequest{}); err != nil || len(s.Sources) > 0 {
		t.Errorf("sources: %+v, %v", s, err)
	}
	if s, err := ours.Status(ctx, api.StatusRequest{}); err != nil || s.Documents+s.Chunks+s.Sources > 0 {
		t.Errorf("status: %+v, %v", s, err)
	}
	if r, err := ours.Runs(ctx, api.RunsRequest{}); err != nil || len(r.Runs) > 0 {
		t.Errorf("runs: %+v, %v", r, err)
	}
	if p, err := ours.Plan(ctx, api.PlanRequest{}); err != nil || len(p.Actions)+len(p.Sources) > 0 {
		t.Errorf("plan: %+v, %v", p, err)
	}
	for name, call := range map[string]func() error{
		"document": func() error {
			_, err := ours.Document(ctx, api.DocumentRequest{Document: hit.Document})
			return err
		},
		"passage": func() error {
			_, err := ours.Document(ctx, api.DocumentRequest{Document: hit.Document, Chunk: hit.Chunk})
			return err
		},
		"diff": func() error {
			_, err := ours.Diff(ctx, api.DiffRequest{Source: hit.Source, Path: hit.Path})
			return err
		},
		"plan by id": func() error {
			_, err := ours.Plan(ctx, api.PlanRequest{Sources: []string{hit.Source}})
			return err
		},
		"removal": func() error {
			_, err := ours.RemoveSource(ctx, api.RemoveSourceRequest{Source: hit.Source, Purge: true})
			return err
		},
	} {
		if err := call(); err == nil {
			t.Errorf("%s of another tenant is given", name)
		}
	}
	err = theirs.store.View(ctx, func(r store.Reader) error {
		info, err := r.Info(ctx)
		if err == nil && (info.Documents != 1 || info.Chunks != 1) {
			t.Errorf("the owner now has %+v", info)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
