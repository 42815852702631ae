package boot

import (
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/extract/extracttest"
)

// opened opens a library, which is closed with the test. Where the options say
// nothing else, it is an empty one without vectors, and the environment names
// nothing but the tests' cache.
func opened(t *testing.T, o Options) *Library {
	t.Helper()
	if o.Library == "" {
		o.Library = t.TempDir()
	}
	if o.Settings == nil {
		o.Settings = map[string]string{"embeddings": "none"}
	}
	if o.Getenv == nil {
		o.Getenv = func(name string) string { return map[string]string{"IBID_CACHE": extracttest.Cache()}[name] }
	}
	lib, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lib.Close(); err != nil {
			t.Error(err)
		}
	})
	return lib
}

// put writes files into a folder, by name.
func put(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// apply indexes a folder and returns the reasons of the documents that failed.
func apply(t *testing.T, lib *Library, folder string) map[string]string {
	t.Helper()
	if _, err := lib.AddSource(t.Context(), api.AddSourceRequest{Path: folder}); err != nil {
		t.Fatal(err)
	}
	return failures(run(t, lib, api.ApplyRequest{}))
}

// run starts a run and waits for its end.
func run(t *testing.T, lib *Library, r api.ApplyRequest) api.Run {
	t.Helper()
	feed := lib.Subscribe()
	defer feed.Close()
	r.RunID = corpus.NewID().String()
	if _, err := lib.Apply(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for end := false; !end; {
		e, err := feed.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		end = e.Type == "end"
	}
	run, err := lib.GetRun(t.Context(), api.GetRunRequest{ID: r.RunID})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// failures are the reasons of the documents that failed, by path.
func failures(run api.Run) map[string]string {
	failed := map[string]string{}
	for _, f := range run.Summary.Failed {
		failed[f.Path] = f.Error
	}
	return failed
}
