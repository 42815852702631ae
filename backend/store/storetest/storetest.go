// Package storetest is the conformance suite of the store contract: what it
// checks holds in every store, and a check that is not about one database
// belongs here (river and restic do the same with their drivers).
//
// A store's own test calls Exercise with a Harness. To add a check, add a
// function to the file of its aspect and a line to that file's table. Checks
// are independent of each other and run in parallel, each on a database of its
// own.
package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Harness makes databases for the suite.
type Harness struct {
	// Database makes an empty database that lives until the test's end.
	Database func(t *testing.T) Database
}

// Database is where libraries of several tenants are.
type Database struct {
	// Open opens a tenant's library the way another process would: nothing is
	// shared with what was opened before but the database. The suite closes it.
	Open func(t *testing.T, tenant corpus.ID) store.Store
	// Lose takes the writer role away from its present holder without the
	// holder's doing (an expired lease, an exchanged lock file).
	Lose func(t *testing.T, tenant corpus.ID)
	// Damages are what audits are tried on.
	Damages []Damage
}

// aspect is a named group of checks.
type aspect struct {
	name   string
	checks map[string]func(l *library)
}

// Exercise runs the whole suite.
func Exercise(t *testing.T, h Harness) {
	t.Helper()
	for _, a := range []aspect{
		audits, batches, commits, embeddings, events, filters, generations, keywords, ledger, models, nearest, removals, roles, snapshots, sources, tenants, validations,
	} {
		t.Run(a.name, func(t *testing.T) {
			for name, check := range a.checks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					check(newLibrary(t, h.Database(t), corpus.DeriveID(corpus.NoID, "tenant", t.Name())))
				})
			}
		})
	}
}

// library is a check's own library, open, with the writer role.
type library struct {
	t      *testing.T
	db     Database
	tenant corpus.ID
	store  store.Store
	w      store.Writer
}

func newLibrary(t *testing.T, db Database, tenant corpus.ID) *library {
	t.Helper()
	l := &library{t: t, db: db, tenant: tenant}
	l.store = l.open()
	var err error
	if l.w, err = l.store.Acquire(l.t.Context(), t.Name()); err != nil {
		t.Fatalf("acquire: %v", err)
	}
	return l
}

// open opens the library once more, as another process would.
func (l *library) open() store.Store {
	l.t.Helper()
	s := l.db.Open(l.t, l.tenant)
	l.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			l.t.Errorf("close: %v", err)
		}
	})
	return s
}

func (l *library) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// wants fails unless err wraps target.
func (l *library) wants(err, target error) {
	l.t.Helper()
	if !errors.Is(err, target) {
		l.t.Fatalf("error %v, want one wrapping %q", err, target)
	}
}

func (l *library) view(fn func(r store.Reader)) {
	l.t.Helper()
	l.must(l.store.View(l.t.Context(), func(r store.Reader) error {
		fn(r)
		return nil
	}))
}

// description is a library's own description with the rows that it has.
type description struct {
	store.Info
	Rows map[string]int64
}

func (l *library) info() (info description) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		var err error
		info.Info, err = r.Info(l.t.Context())
		l.must(err)
		info.Rows, err = r.Rows(l.t.Context())
		l.must(err)
	})
	return info
}

func (l *library) dump() string {
	l.t.Helper()
	return Dump(l.t.Context(), l.t, l.store)
}

// build returns the generation of the suite's space.
func (l *library) build() store.Generation {
	l.t.Helper()
	g, err := l.w.Build(l.t.Context(), space, "analyzer/1")
	l.must(err)
	return g
}

func (l *library) commit(changes ...store.Change) []store.Committed {
	l.t.Helper()
	done, err := l.w.Commit(l.t.Context(), changes...)
	l.must(err)
	return done
}

// embed gives all waiting passages of the live generation their vectors.
func (l *library) embed() {
	l.t.Helper()
	var pending []store.Pending
	l.view(func(r store.Reader) {
		var err error
		pending, err = r.Pending(l.t.Context(), 0, 10000)
		l.must(err)
	})
	vectors := map[corpus.Hash][]float32{}
	for _, p := range pending {
		vectors[p.Hash] = vector(p.Input)
	}
	l.must(l.w.PutVectors(l.t.Context(), space, vectors))
}

func (l *library) document(id corpus.ID) (d corpus.Document, err error) {
	l.t.Helper()
	l.view(func(r store.Reader) { d, err = r.Document(l.t.Context(), id) })
	return d, err
}

// chunks of a document in the live generation.
func (l *library) chunks(id corpus.ID) (chunks []corpus.Chunk) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		var err error
		chunks, err = r.Chunks(l.t.Context(), 0, id)
		l.must(err)
	})
	return chunks
}

func (l *library) search(q store.Query) (c store.Candidates) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		var err error
		c, err = r.Search(l.t.Context(), q)
		l.must(err)
	})
	return c
}

// unchanged fails if fn changes the library in any way that can be seen.
func (l *library) unchanged(fn func()) {
	l.t.Helper()
	before, revision := l.dump(), l.info().Revision
	fn()
	if after := l.dump(); after != before {
		l.t.Errorf("library changed:\n%s\nwas:\n%s", after, before)
	}
	if got := l.info().Revision; got != revision {
		l.t.Errorf("revision is %d, was %d", got, revision)
	}
}

// diff is cmp.Diff, but quick where there is no difference.
func diff(want, got any, options ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, options...)
}

// epoch is the suite's time; stores need not look at a clock to pass.
var epoch = time.Date(2026, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
