//go:build cgo

package builtin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/corpus"
)

// TestCancelWhileWaiting holds all runners, so that a call can only end by its
// context.
func TestCancelWhileWaiting(t *testing.T) {
	m := &model{spec: specs[Default], threads: 1, network: &network{documents: make(chan *runner), queries: make(chan *runner)}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := m.embed(ctx, m.network, m.network.documents, []int32{1, 2})
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

func TestDamagedFiles(t *testing.T) {
	dir := install(t, Default)
	t.Setenv("IBID_ONNXRUNTIME", "")
	t.Setenv("IBID_MODELS", "")
	if _, err := Open(t.Context(), Options{Dirs: []string{dir}}); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("a tokenizer with other contents: %v, want ErrUnavailable", err)
	}

	// A damaged model is found when it is loaded, and again at each call: it
	// may be mended meanwhile.
	m := &model{spec: specs[Default], threads: 1, files: files{
		library: filepath.Join(dir, "lib", libraryName()),
		model:   filepath.Join(dir, "models", Default, "model.onnx"),
	}}
	for range 2 {
		if _, _, err := m.enter(t.Context()); !errors.Is(err, corpus.ErrUnavailable) {
			t.Errorf("a damaged model: %v, want ErrUnavailable", err)
		}
	}
	if err := m.Close(); err != nil { // would hang if a call had not left
		t.Error(err)
	}
}

func TestNoLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lib.so")
	if err := os.WriteFile(path, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Which error depends on whether another test has loaded the real one.
	if err := loadLibrary(path); !errors.Is(err, corpus.ErrUnavailable) && !errors.Is(err, corpus.ErrUnsupported) {
		t.Errorf("a file that is no library: %v", err)
	}
}
