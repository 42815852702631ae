//go:build cgo

package builtin_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/builtin"
	"ibid/backend/embed/embedtest"
)

func open(tb testing.TB, model string) embed.Embedder {
	tb.Helper()
	e, err := builtin.Open(tb.Context(), builtin.Options{Model: model, Dirs: []string{embedtest.Data(tb)}, Threads: 2})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	for _, model := range builtin.Models() {
		t.Run(model, func(t *testing.T) {
			embedtest.Exercise(t, func(tb testing.TB) embed.Embedder {
				tb.Helper()
				return open(tb, model)
			})
		})
	}
}

// TestGolden compares with Python's onnxruntime and a pooling written anew
// (bench/golden.py). Processors round differently, so the cosine is not 1; a
// missing prefix or another pooling is below .9.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		Model, Role, Text string
		Vector            []float32
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	embedders := map[string]embed.Embedder{}
	for _, model := range builtin.Models() {
		e := open(t, model)
		defer e.Close()
		embedders[model] = e
	}
	for _, g := range golden {
		e := embedders[g.Model]
		var got []float32
		if g.Role == "query" {
			got, err = e.EmbedQuery(t.Context(), g.Text)
		} else {
			var all [][]float32
			if all, err = e.EmbedDocuments(t.Context(), []string{g.Text}); err == nil {
				got = all[0]
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if c := embedtest.Cosine(got, g.Vector); c < 0.98 {
			t.Errorf("%s, %s %q: cosine %.4f with the golden", g.Model, g.Role, g.Text, c)
		}
	}
}

// A change of model, pooling or prefix must change the space, or old vectors
// would be kept silently (S31).
func TestSpaces(t *testing.T) {
	want := map[string]string{
		"minilm":    "builtin/minilm/384/int8-mean-1",
		"bge-small": "builtin/bge-small/384/int8-cls-prefix-1",
	}
	for _, model := range builtin.Models() {
		e := open(t, model)
		if got := e.Space().String(); got != want[model] {
			t.Errorf("space of %s is %q, want %q", model, got, want[model])
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	data := embedtest.Data(t)
	for name, tt := range map[string]struct {
		o    builtin.Options
		want error
	}{
		"unknown model":    {builtin.Options{Model: "gpt", Dirs: []string{data}}, corpus.ErrInvalid},
		"negative threads": {builtin.Options{Threads: -1, Dirs: []string{data}}, corpus.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := builtin.Open(t.Context(), tt.o); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want one that wraps %v", err, tt.want)
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	e := open(b, builtin.Default)
	defer e.Close()
	for b.Loop() {
		if _, err := e.EmbedQuery(b.Context(), "how much water does the pump deliver?"); err != nil {
			b.Fatal(err)
		}
	}
}
