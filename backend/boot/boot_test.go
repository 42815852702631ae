package boot

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ibid/backend/api"
	"ibid/backend/chunk"
	"ibid/backend/config"
	"ibid/backend/embed/builtin"
	"ibid/backend/store/postgres/pgtest"
)

func TestMain(m *testing.M) {
	if IsWorker(os.Args[1:]) { // of these tests
		os.Exit(Worker())
	}
	goleak.VerifyTestMain(m)
}

// mainJob adds a folder, plans, applies and searches, in a library that is
// opened twice.
func mainJob(t *testing.T, o Options) (api.Status, api.SearchResponse) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n\nalpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lib, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := lib.index(t.Context(), notes, nil); err != nil {
		t.Fatal(err)
	}
	if err := lib.Close(); err != nil {
		t.Fatal(err)
	}
	if lib, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	p, err := lib.Plan(t.Context(), api.PlanRequest{})
	if err != nil || p.Summary.Unchanged != 1 || len(p.Actions) != 0 {
		t.Errorf("planned again: %+v, %v", p.Summary, err)
	}
	found, err := lib.Search(t.Context(), api.SearchRequest{Query: "alpha"})
	if err != nil {
		t.Fatal(err)
	}
	status, err := lib.Status(t.Context(), api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return status, found
}

func TestOpen(t *testing.T) {
	folder := t.TempDir()
	status, found := mainJob(t, Options{
		Library: folder, Version: "1.2.3", Getenv: func(string) string { return "" },
		Settings: map[string]string{"embeddings": "hash", "search.mode": "keyword"},
	})
	if len(found.Hits) != 1 || found.Mode != "keyword" {
		t.Errorf("found %+v", found)
	}
	if status.Library != folder || status.Store != "sqlite" || status.Version != "1.2.3" || status.Documents != 1 || status.Model != "hash" {
		t.Errorf("status %+v", status)
	}
}

// A library may be inside of the folder that it indexes.
func TestALibraryDoesNotIndexItself(t *testing.T) {
	notes := t.TempDir()
	lib := opened(t, Options{Library: notes, Settings: map[string]string{"embeddings": "hash"}})
	if _, err := lib.AddSource(t.Context(), api.AddSourceRequest{Path: notes}); err != nil {
		t.Fatal(err)
	}
	if p, err := lib.Plan(t.Context(), api.PlanRequest{}); err != nil || len(p.Actions) != 0 {
		t.Errorf("plan %+v, %v", p.Actions, err)
	}
}

func TestOpenPostgres(t *testing.T) {
	server := pgtest.Serve(t)
	url := server.Database(t).URL()
	status, found := mainJob(t, Options{
		Library: t.TempDir(), Settings: map[string]string{"embeddings": "hash"},
		Getenv: func(name string) string { return map[string]string{"IBID_DATABASE_URL": url}[name] },
	})
	if len(found.Hits) != 1 || found.Hits[0].Legs.Vector == nil || found.Hits[0].Legs.Keyword == nil {
		t.Errorf("found %+v", found)
	}
	if status.Store != "postgres" || status.Documents != 1 || strings.Contains(status.Library, pgtest.Password) {
		t.Errorf("status %+v", status)
	}
}

func TestOpenRefuses(t *testing.T) {
	none := func(string) string { return "" }
	tests := []struct {
		name string
		o    Options
		code string
	}{
		{"no place", Options{Getenv: none}, api.CodeInvalid},
		{"bad setting", Options{Library: t.TempDir(), Getenv: none, Settings: map[string]string{"search.k": "0"}}, api.CodeInvalid},
		{"no address", Options{Library: t.TempDir(), Getenv: none, Settings: map[string]string{"database": "postgres://u:s3cret@127.0.0.1/d?sslmode=sometimes"}}, api.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lib, err := Open(t.Context(), tt.o)
			fault, ok := errors.AsType[*api.Error](err)
			if lib != nil || !ok || fault.Code != tt.code || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, %v, want code %s", lib, err, tt.code)
			}
		})
	}
}

// What the settings offer, the implementations have.
func TestRegistryIsImplemented(t *testing.T) {
	have := map[string]bool{}
	for _, m := range builtin.Models() {
		have[builtin.Provider+":"+m] = true
	}
	open := opener(config.Environment{}, nil)
	for _, name := range config.ModelNames() {
		m, err := config.FindModel(name)
		if err != nil {
			t.Fatal(err)
		}
		switch m.Provider {
		case config.NoProvider:
		case builtin.Provider:
			if !have[m.Name] {
				t.Errorf("there is no built-in model %s", m.Name)
			}
		default:
			e, err := open(t.Context(), m, 0)
			if err != nil {
				t.Errorf("open %s: %v", name, err)
				continue
			}
			if of, ok := config.ModelOf(e.Space()); !ok || of.Name != name {
				t.Errorf("%s makes vectors of %s, which is %q", name, e.Space(), of.Name)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	conf, err := config.Load(config.Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"chunking.markdown.strategy", "chunking.code.strategy"} {
		v, err := conf.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range v.Choices {
			if choice == config.StrategyAuto {
				continue
			}
			if _, err := chunk.For("text/plain", chunk.Rules{Strategy: choice}); err != nil {
				t.Errorf("%s offers %q: %v", key, choice, err)
			}
		}
		if len(v.Choices) != len(chunk.Strategies())+1 {
			t.Errorf("%s offers %d strategies, there are %d", key, len(v.Choices)-1, len(chunk.Strategies()))
		}
	}
}
