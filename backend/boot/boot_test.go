package boot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"ibid/backend/api"
	"ibid/backend/chunk"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOpen(t *testing.T) {
	folder, notes := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n\nalpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Library: folder, Version: "1.2.3", Settings: map[string]string{"embeddings": "hash"}, Getenv: func(string) string { return "" }}
	lib, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lib.AddSource(t.Context(), api.AddSourceRequest{Path: notes}); err != nil {
		t.Fatal(err)
	}
	p, err := lib.Plan(t.Context(), api.PlanRequest{})
	if err != nil {
		t.Fatal(err)
	}
	feed := lib.Subscribe()
	id := corpus.NewID().String()
	if _, err := lib.Apply(t.Context(), api.ApplyRequest{RunID: id, Plan: p.ID}); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := feed.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "end" {
			break
		}
	}
	feed.Close()
	if err := lib.Close(); err != nil {
		t.Fatal(err)
	}

	o.Settings = map[string]string{"embeddings": "hash", "search.mode": "keyword"}
	if lib, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	found, err := lib.Search(t.Context(), api.SearchRequest{Query: "alpha"})
	if err != nil || len(found.Hits) != 1 || found.Mode != "keyword" {
		t.Errorf("%+v, %v", found, err)
	}
	status, err := lib.Status(t.Context(), api.StatusRequest{})
	if err != nil || status.Library != folder || status.Store != "sqlite" || status.Version != "1.2.3" || status.Documents != 1 {
		t.Errorf("status %+v, %v", status, err)
	}
	if p, err = lib.Plan(t.Context(), api.PlanRequest{}); err != nil || p.Summary.Unchanged != 1 || len(p.Actions) != 0 {
		t.Errorf("planned again: %+v, %v", p.Summary, err)
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
		{"postgres", Options{Library: t.TempDir(), Getenv: none, Settings: map[string]string{"database": "postgres://u:s3cret@h/d"}}, api.CodeUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lib, err := Open(t.Context(), tt.o)
			fault, ok := errors.AsType[*api.Error](err)
			if lib != nil || !ok || fault.Code != tt.code {
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
	for _, key := range []string{"chunking.markdown.strategy", "chunking.text.strategy"} {
		v, err := conf.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range v.Choices {
			if choice == config.StrategyAuto {
				continue
			}
			if _, _, err := chunk.For("text/plain", chunk.Rules{Strategy: choice}); err != nil {
				t.Errorf("%s offers %q: %v", key, choice, err)
			}
		}
		if len(v.Choices) != len(chunk.Strategies())+1 {
			t.Errorf("%s offers %d strategies, there are %d", key, len(v.Choices)-1, len(chunk.Strategies()))
		}
	}
}
