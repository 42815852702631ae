package verify_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/embed/hash"
	"ibid/backend/extract"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/source"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
	"ibid/backend/verify"
)

var (
	server  *pgtest.Server
	missing error
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

// bench is a library of a folder of notes, on either store.
type bench struct {
	t      *testing.T
	store  store.Store
	source corpus.Source
	in     *ingest.Ingester
	sql    func(query string) // runs SQL behind the library's back
}

// onSQLite and onPostgres open an empty library.
func onSQLite(t *testing.T) *bench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "library.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return newBench(t, db, func(query string) {
		raw, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		if _, err := raw.ExecContext(t.Context(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	})
}

func onPostgres(t *testing.T) *bench {
	t.Helper()
	pgtest.Require(t, missing)
	d := server.Database(t)
	db, err := postgres.Open(t.Context(), postgres.Options{URL: d.URL(), ManageSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	return newBench(t, db, func(query string) { d.Exec(t, query) })
}

func newBench(t *testing.T, db store.Store, sql func(string)) *bench {
	t.Helper()
	embedder, err := hash.New(0)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: db, sql: sql}
	b.source = corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "notes", Root: t.TempDir()}
	b.in = ingest.New(ingest.Parts{Store: db, Files: source.New(), Extract: extract.NewRegistry(extract.Builtin()...), Embedder: embedder})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := embedder.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.PutSource(t.Context(), b.source); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"orchard", "quarry", "harbour"} {
		var text strings.Builder
		fmt.Fprintf(&text, "---\nauthor: Ada\n---\n# The %s\n", name)
		for n := range 20 {
			fmt.Fprintf(&text, "\nParagraph %d of the %s tells how %d barrels were counted there on a cold morning before anybody was awake.\n", n, name, 10*n+i)
		}
		b.write(name+".md", text.String())
	}
	b.apply(nil)
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.source.Root, name) }

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// apply applies the actions that keep approves, nil: all, and returns the plan.
func (b *bench) apply(keep func(plan.Action) bool) *plan.Reindex {
	b.t.Helper()
	p, err := b.in.Plan(b.t.Context(), ingest.PlanOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	if keep != nil {
		p = p.Select(keep)
	}
	r, err := b.in.Apply(b.t.Context(), p, ingest.ApplyOptions{AllowRemovals: 100})
	if err != nil || !r.Clean() {
		b.t.Fatalf("apply: %+v, %v", r, err)
	}
	return p
}

func (b *bench) verify(opt verify.Options) *verify.Report {
	b.t.Helper()
	r, err := verify.Run(b.t.Context(), b.in, opt)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

var thorough = verify.Options{Sample: verify.All, Files: true}

// clean fails unless nothing is found, however thoroughly it is looked.
func (b *bench) clean() {
	b.t.Helper()
	r := b.verify(thorough)
	for _, f := range r.Findings {
		b.t.Errorf("found %s %s: %s", f.Damage, f.Path, f.Detail)
	}
	if len(r.Notes) > 0 || r.Documents == 0 || r.Sampled != r.Passages || r.Files != r.Documents {
		b.t.Errorf("looked at %d documents, %d files, %d of %d passages; %v", r.Documents, r.Files, r.Sampled, r.Passages, r.Notes)
	}
}

// mark leaves word of what was found, as the service does.
func (b *bench) mark(r *verify.Report) {
	b.t.Helper()
	b.writing(func(w store.Writer) error {
		distrust, touch := r.Marks()
		if err := w.Touch(b.t.Context(), touch); err != nil {
			return err
		}
		return w.Distrust(b.t.Context(), distrust)
	})
}

func (b *bench) writing(fn func(w store.Writer) error) {
	b.t.Helper()
	w, err := b.store.Acquire(b.t.Context(), b.t.Name())
	if err != nil {
		b.t.Fatal(err)
	}
	defer w.Release()
	if err := fn(w); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) dump() string { return storetest.Dump(context.Background(), b.t, b.store) }

// found are the damages of a report.
func found(r *verify.Report) (list []store.Damage) {
	for _, f := range r.Findings {
		if !slices.Contains(list, f.Damage) {
			list = append(list, f.Damage)
		}
	}
	return list
}

func isRepair(a plan.Action) bool { return a.Kind == plan.Repair }

// Rows that are dropped or changed behind the library's back are found, planned
// as repairs, mended, and then nothing is found and all is as in a fresh build.
func TestDamageIsRepaired(t *testing.T) {
	damages := []struct {
		name             string
		sqlite, postgres string
		finds            store.Damage
		repairs          int // documents that the next plan repairs
	}{
		{
			"passages dropped", "DELETE FROM chunks WHERE position = 1", "DELETE FROM kb_embeddings WHERE chunk_index = 1",
			store.PassagesMissing, 3,
		},
		{
			"all passages dropped", "DELETE FROM chunks", "DELETE FROM kb_embeddings",
			store.PassagesMissing, 3,
		},
		{
			"passages altered", "UPDATE chunks SET content = replace(content, 'barrels', 'bottles')",
			"UPDATE kb_embeddings SET content = replace(content, 'barrels', 'bottles')", store.PassageAltered, 3,
		},
		{
			"postings dropped", "DELETE FROM blocks", "DELETE FROM kb_embeddings_lexemes",
			store.TermsWrong, 3,
		},
		{
			"ledger rows dropped", "DELETE FROM documents WHERE path = 'quarry.md'", "DELETE FROM kb_embeddings_documents WHERE path = 'quarry.md'",
			store.RecordMissing, 1,
		},
		{
			"ledger emptied", "DELETE FROM documents", "DELETE FROM kb_embeddings_documents",
			store.RecordMissing, 3,
		},
		{
			"what documents are made of dropped", "DELETE FROM made", "DELETE FROM kb_embeddings_made",
			store.PassagesMissing, 3,
		},
		{
			"vectors dropped", "DELETE FROM vectors", "UPDATE kb_embeddings SET embedding = NULL",
			store.VectorMissing, 3,
		},
		{
			"vectors exchanged", "UPDATE vectors SET vector = (SELECT v.vector FROM vectors v WHERE v.num <> vectors.num ORDER BY v.num LIMIT 1)",
			`UPDATE kb_embeddings e SET embedding = (SELECT o.embedding FROM kb_embeddings o WHERE o.document <> e.document ORDER BY o.id LIMIT 1)`,
			verify.VectorWrong, 3,
		},
		{
			"texts dropped", "DELETE FROM texts", "DELETE FROM kb_embeddings_texts",
			store.TextMissing, 3,
		},
		{
			"texts altered", "UPDATE texts SET text = replace(text, 'barrels', 'bottles')", "UPDATE kb_embeddings_texts SET text = replace(text, 'barrels', 'bottles')",
			verify.LocationWrong, 3,
		},
		{
			"statistics altered", "UPDATE generations SET chunks = 1, length = 1", "UPDATE kb_embeddings_generations SET chunks = 1, length = 1",
			store.StatisticsWrong, 0,
		},
	}
	for _, kind := range []struct {
		name string
		open func(t *testing.T) *bench
	}{{"sqlite", onSQLite}, {"postgres", onPostgres}} {
		t.Run(kind.name, func(t *testing.T) {
			for _, d := range damages {
				t.Run(d.name, func(t *testing.T) {
					b := kind.open(t)
					b.clean()
					fresh := b.dump()
					if kind.name == "sqlite" {
						b.sql(d.sqlite)
					} else {
						b.sql(d.postgres)
					}
					r := b.verify(thorough)
					if got := found(r); !slices.Contains(got, d.finds) {
						t.Errorf("found %v, not %q", got, d.finds)
					}
					b.mark(r)
					if p := b.apply(isRepair); p.Summary.Repair != d.repairs || p.WriteCount() != d.repairs {
						t.Errorf("planned %+v, want %d repairs", p.Actions, d.repairs)
					}
					if d.repairs == 0 {
						b.writing(func(w store.Writer) error { return w.Mend(t.Context(), b.in.Audit()) })
					}
					b.clean()
					if diff := cmp.Diff(strings.Split(fresh, "\n"), strings.Split(b.dump(), "\n")); diff != "" {
						t.Errorf("differs from a fresh build (-fresh +mended):\n%s", diff)
					}
				})
			}
		})
	}
}

// A folder that moved on is told, and is no damage.
func TestOutOfStep(t *testing.T) {
	b := onSQLite(t)
	b.write("new.md", "# New\n\nA new page.\n")
	b.write("quarry.md", "# The quarry\n\nIt is closed.\n")
	if err := os.Remove(b.path("orchard.md")); err != nil {
		t.Fatal(err)
	}
	r := b.verify(thorough)
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Damage, f.Path, f.Detail))
	}
	want := []string{"out_of_step new.md: added: new file", "out_of_step orchard.md: removed: file deleted", "out_of_step quarry.md: updated: text changed"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if distrust, touch := r.Marks(); len(distrust)+len(touch) > 0 {
		t.Errorf("marks %v %v, want none", distrust, touch)
	}
	b.apply(nil)
	b.clean()
}

// A file whose bytes changed while its size and times did not is found by
// reading it, and the next plan updates it.
func TestChangedBehindFingerprint(t *testing.T) {
	b := onSQLite(t)
	text, err := os.ReadFile(b.path("quarry.md"))
	if err != nil {
		t.Fatal(err)
	}
	b.write("quarry.md", strings.ReplaceAll(string(text), "barrels", "bottles"))
	// The ledger is made to believe the new fingerprint.
	p, err := b.in.Plan(t.Context(), ingest.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Actions {
		if a.Kind == plan.Updated {
			fp := a.Fingerprint
			fp.HashedAt = fp.ChangeTime + 10_000_000_000
			b.writing(func(w store.Writer) error {
				return w.Touch(t.Context(), map[corpus.ID]corpus.Fingerprint{a.Document: fp})
			})
		}
	}
	if r := b.verify(verify.Options{}); !r.Clean() {
		t.Fatalf("found %v without reading", found(r))
	}
	r := b.verify(verify.Options{Files: true})
	if diff := cmp.Diff([]store.Damage{verify.FileChanged}, found(r)); diff != "" {
		t.Fatalf("found (-want +got):\n%s", diff)
	}
	b.mark(r)
	if p := b.apply(nil); p.Summary.Updated != 1 {
		t.Errorf("planned %+v, want one update", p.Summary)
	}
	b.clean()
}

// Only what was asked for is looked at, but for the store as a whole.
func TestSourcesAndSample(t *testing.T) {
	b := onSQLite(t)
	other := corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "other", Root: t.TempDir()}
	if err := os.WriteFile(filepath.Join(other.Root, "a.txt"), []byte("Another text in another folder.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.store.PutSource(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	b.apply(nil)
	b.clean()
	if r := b.verify(verify.Options{Sources: []corpus.ID{other.ID}, Sample: 5, Files: true}); r.Documents != 1 || r.Files != 1 || r.Sampled != 1 {
		t.Errorf("looked at %+v, want one document", r)
	}
	if r := b.verify(verify.Options{Sample: 5}); r.Documents != 4 || r.Sampled != 5 || r.Files != 0 {
		t.Errorf("looked at %+v, want 4 documents and 5 vectors", r)
	}
	b.sql("DELETE FROM chunks WHERE position = 1") // of the notes only
	if r := b.verify(verify.Options{Sources: []corpus.ID{other.ID}}); slices.Contains(found(r), store.PassagesMissing) {
		t.Errorf("found %v in another source", found(r))
	}
}

// Verifying ends when it is canceled.
func TestCanceled(t *testing.T) {
	b := onSQLite(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := verify.Run(ctx, b.in, verify.Options{Progress: func(p verify.Progress) {
		if p.Stage == verify.StageTexts {
			cancel()
		}
	}})
	if ctx.Err() == nil || err == nil {
		t.Errorf("canceled: %v", err)
	}
}
