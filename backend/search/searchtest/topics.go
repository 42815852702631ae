package searchtest

import (
	"context"
	"math"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

// topics is an embedder whose vectors are plain to see: a component for each
// topic that a text names, and the last one for a text that names none.
type topics struct {
	model string
	names []string
	// as replaces what a query is embedded as.
	as   map[string]string
	fail error // of EmbedQuery
}

var _ embed.Embedder = (*topics)(nil)

func (e *topics) Space() corpus.Space {
	return corpus.Space{Provider: "test", Model: e.model, Dimensions: len(e.names) + 1, Format: "1"}
}
func (e *topics) Limit() int            { return 1000 }
func (e *topics) Count(text string) int { return len(text) }
func (e *topics) Close() error          { return nil }

func (e *topics) vector(text string) []float32 {
	v := make([]float32, len(e.names)+1)
	sum := 0.0
	for i, name := range e.names {
		n := float64(strings.Count(text, name))
		v[i] = float32(n)
		sum += n * n
	}
	if sum == 0 {
		v[len(e.names)] = 1
		return v
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func (e *topics) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if e.fail != nil {
		return nil, e.fail
	}
	if as, ok := e.as[text]; ok {
		text = as
	}
	return e.vector(text), ctx.Err()
}

func (e *topics) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = e.vector(text)
	}
	return vectors, ctx.Err()
}
