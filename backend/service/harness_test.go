package service_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/hash"
	"ibid/backend/extract"
	"ibid/backend/service"
	"ibid/backend/source"
	"ibid/backend/source/web"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// library is a service over a store in memory, with a folder of notes.
type library struct {
	*service.Service
	t     *testing.T
	path  string // of the store
	notes string // a folder
	model *gate
	parts service.Parts
}

// gate is the hashing embedder; closed, it lets nobody pass.
type gate struct {
	embed.Embedder
	closed chan struct{} // nil: open; else calls wait for it
	calls  atomic.Int64
	fails  atomic.Bool
}

func (g *gate) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	g.calls.Add(int64(len(texts)))
	if g.fails.Load() {
		return nil, fmt.Errorf("%w: no connection", corpus.ErrUnavailable)
	}
	if g.closed != nil {
		select {
		case <-g.closed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return g.Embedder.EmbedDocuments(ctx, texts)
}

// damaged begins the texts that picky takes for damaged.
const damaged = "damaged"

// picky is the built-in extractor; of texts it knows some that cannot be read.
type picky struct{ *extract.Registry }

func (p picky) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	if strings.HasPrefix(string(in.Data), damaged) {
		return nil, errors.New("the file is damaged")
	}
	return p.Registry.Extract(ctx, in)
}

// open returns a library with the settings' overrides, in memory.
func open(t *testing.T, settings map[string]string) *library {
	t.Helper()
	return openAt(t, ":memory:", t.TempDir(), settings)
}

// onDisk returns a library that several may have open.
func onDisk(t *testing.T) *library {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "library.db"), t.TempDir(), nil)
}

// another opens the same library again, as another process does.
func (l *library) another() *library {
	l.t.Helper()
	return openAt(l.t, l.path, l.notes, nil)
}

func openAt(t *testing.T, path, notes string, settings map[string]string) *library {
	t.Helper()
	st, err := openStore(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	l := &library{t: t, path: path, notes: notes, model: &gate{}}
	l.parts = service.Parts{
		Store: st, Config: configured(t, settings), Files: source.Places{Inside: &source.Inside{Files: source.New()}, Web: web.New(web.Options{})},
		Extract: picky{extract.NewRegistry(extract.Builtin()...)},
		OpenModel: func(context.Context, config.Model, int) (_ embed.Embedder, err error) {
			l.model.Embedder, err = hash.New(0) // a service closes its models
			return l.model, err
		},
		Library: "memory", Version: "test", Holder: "test",
	}
	l.Service = service.New(l.parts)
	t.Cleanup(func() {
		if err := errors.Join(l.Service.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// openStore opens the store in a file or, by its address, on a server.
func openStore(ctx context.Context, path string) (store.Store, error) {
	if onServer(path) {
		return postgres.Open(ctx, postgres.Options{URL: path, ManageSchema: true})
	}
	return sqlite.Open(ctx, sqlite.Options{Path: path})
}

func onServer(path string) bool { return strings.HasPrefix(path, "postgres://") }

// onEachStore runs a test with a new library's path on each kind of store.
func onEachStore(t *testing.T, test func(t *testing.T, path string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "library.db")) })
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Serve(t)
		test(t, server.Database(t).URL())
	})
}

// configured returns settings with overrides.
func configured(t *testing.T, settings map[string]string) *config.Config {
	t.Helper()
	all := map[string]string{"embeddings": "hash"}
	maps.Copy(all, settings)
	conf, err := config.Load(config.Options{Folder: t.TempDir(), Flags: all})
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

// write puts a file in its place as a whole: a watcher is told of it once.
func (l *library) write(path, text string) {
	l.t.Helper()
	full := filepath.Join(l.notes, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		l.t.Fatal(err)
	}
	aside := filepath.Join(l.t.TempDir(), "new")
	if err := os.WriteFile(aside, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(aside, full); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) rename(from, to string) {
	l.t.Helper()
	if err := os.Rename(filepath.Join(l.notes, from), filepath.Join(l.notes, to)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) remove(path string) {
	l.t.Helper()
	if err := os.Remove(filepath.Join(l.notes, path)); err != nil {
		l.t.Fatal(err)
	}
}

// reopened closes the service and opens another one over the same store.
func (l *library) reopened() *library {
	l.t.Helper()
	if err := l.Service.Close(); err != nil {
		l.t.Fatal(err)
	}
	l.Service = service.New(l.parts)
	return l
}

// documents returns the documents' ids by path.
func (l *library) documents() map[string]string {
	l.t.Helper()
	ids := map[string]string{}
	err := l.parts.Store.View(l.t.Context(), func(r store.Reader) error {
		for d, err := range r.Documents(l.t.Context(), corpus.NoID) {
			if err != nil {
				return err
			}
			ids[d.Path] = d.ID.String()
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return ids
}

// add adds the notes as a source.
func (l *library) add() api.Source {
	l.t.Helper()
	s, err := l.AddSource(l.t.Context(), api.AddSourceRequest{Path: l.notes, Name: "notes"})
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// apply starts a run and waits for its end.
func (l *library) apply(r api.ApplyRequest) api.Run {
	l.t.Helper()
	if r.RunID == "" {
		r.RunID = corpus.NewID().String()
	}
	feed := l.Subscribe()
	defer feed.Close()
	run, err := l.Apply(l.t.Context(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	return l.wait(feed, run.ID)
}

// wait returns a run that has ended.
func (l *library) wait(feed *service.Feed, id string) api.Run {
	l.t.Helper()
	for {
		e, err := feed.Next(l.t.Context())
		if err != nil {
			l.t.Fatal(err)
		}
		if e.RunID == id && e.Type == "end" {
			break
		}
	}
	run, err := l.GetRun(l.t.Context(), api.GetRunRequest{ID: id})
	if err != nil {
		l.t.Fatal(err)
	}
	return run
}

// fails checks that err is an *api.Error of a code whose text has all parts.
func fails(t *testing.T, err error, code string, parts ...string) {
	t.Helper()
	fault, ok := errors.AsType[*api.Error](err)
	if !ok || fault.Code != code {
		t.Errorf("error %v, want one of code %s", err, code)
		return
	}
	for _, p := range parts {
		if !strings.Contains(fault.Error(), p) {
			t.Errorf("error %q does not say %q", fault.Error(), p)
		}
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
