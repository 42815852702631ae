// Package embedtest is the conformance suite of embed.Embedder: what the
// contract promises, asked of any provider. A new provider calls Exercise from
// its test; a new promise is added here and never to one provider's test.
package embedtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

// same is the cosine that two vectors of one text have at least.
const same = 0.9999

// texts are pairs of sentences: 2i and 2i+1 say the same, others something else.
var texts = []string{
	"The water pump stopped because its motor overheated.",
	"An overheated motor made the water pump stop.",
	"The tenant must pay the rent on the first day of each month.",
	"Rent has to be paid by the tenant each month on the first.",
	"Bake the bread in a hot oven for forty minutes.",
	"The bread needs forty minutes of baking in the oven.",
	"Our telescope photographed a distant spiral galaxy.",
	"A spiral galaxy was photographed with the telescope.",
}

// Exercise runs the suite. open is called a few times for an embedder of its
// own, which the suite closes.
func Exercise(t *testing.T, open func(testing.TB) embed.Embedder) {
	t.Helper()
	e := open(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	want := documents(t, e, texts)

	t.Run("Space", func(t *testing.T) {
		s := e.Space()
		if s.Provider == "" || s.Model == "" || s.Format == "" || s.Dimensions <= 0 {
			t.Errorf("space %+v lacks a name or dimensions", s)
		}
		if other := open(t); other.Space() != s {
			t.Errorf("a second embedder has space %v, the first %v", other.Space(), s)
		} else if err := other.Close(); err != nil {
			t.Errorf("close an embedder that was not used: %v", err)
		}
	})
	t.Run("Empty", func(t *testing.T) {
		for _, none := range [][]string{nil, {}} {
			if got, err := e.EmbedDocuments(t.Context(), none); err != nil || len(got) != 0 {
				t.Errorf("EmbedDocuments of nothing = %d vectors, %v", len(got), err)
			}
		}
	})
	t.Run("Blank", func(t *testing.T) {
		documents(t, e, []string{"", " \n", "!", "\x00", "\xff\xfe"})
		query(t, e, "")
	})
	t.Run("Order", func(t *testing.T) {
		reversed := slices.Clone(texts)
		slices.Reverse(reversed)
		got := documents(t, e, reversed)
		slices.Reverse(got)
		wantSame(t, got, want)
	})
	t.Run("Alone", func(t *testing.T) {
		// A text's vector must not depend on what shares its batch.
		mixed := append([]string{strings.Repeat("unrelated ", 40), ""}, texts...)
		wantSame(t, documents(t, e, mixed)[2:], want)
		for i, text := range texts {
			wantSame(t, documents(t, e, []string{text}), want[i:i+1])
		}
	})
	t.Run("Limit", func(t *testing.T) { limit(t, e) })
	t.Run("Meaning", func(t *testing.T) {
		for i := range texts {
			for j := range texts {
				if j/2 != i/2 && Cosine(want[i], want[j]) >= Cosine(want[i], want[i^1]) {
					t.Errorf("%q is nearer to %q (%.3f) than to %q (%.3f)", texts[i],
						texts[j], Cosine(want[i], want[j]), texts[i^1], Cosine(want[i], want[i^1]))
				}
			}
		}
		q := query(t, e, "which day does the tenant pay rent?")
		for i := range texts {
			if i/2 != 1 && Cosine(q, want[i]) >= min(Cosine(q, want[2]), Cosine(q, want[3])) {
				t.Errorf("the query about rent is as near to %q", texts[i])
			}
		}
	})
	t.Run("Concurrent", func(t *testing.T) {
		asked := query(t, e, texts[0])
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { wantSame(t, documents(t, e, texts), want) })
			wg.Go(func() { wantSame(t, [][]float32{query(t, e, texts[0])}, [][]float32{asked}) })
		}
		wg.Wait()
	})
	t.Run("Cancel", func(t *testing.T) { cancel(t, e) })
	t.Run("Close", func(t *testing.T) { closing(t, open(t), want) })
}

func limit(t *testing.T, e embed.Embedder) {
	t.Helper()
	if e.Limit() < 16 {
		t.Fatalf("limit of %d tokens", e.Limit())
	}
	text := "confidential"
	for last := e.Count(text); e.Count(text+" word") <= e.Limit(); last = e.Count(text) {
		text += " word"
		if e.Count(text) < last {
			t.Fatalf("a longer text counts %d tokens, a shorter one %d", e.Count(text), last)
		}
	}
	documents(t, e, []string{text})

	for _, over := range []string{text + " word", strings.Repeat(text, 50), strings.Repeat("x", 100_000)} {
		if e.Count(over) <= e.Limit() {
			continue // not over for this tokenizer: a long word may be one unknown token
		}
		got, err := e.EmbedDocuments(t.Context(), []string{"short", over})
		if !errors.Is(err, corpus.ErrLimit) || got != nil {
			t.Errorf("a text of %d tokens gave %d vectors and error %v, want ErrLimit", e.Count(over), len(got), err)
		} else if strings.Contains(err.Error(), "confidential") {
			t.Errorf("the error tells the text: %v", err)
		}
		query(t, e, over)
	}
	a, b := query(t, e, text+" "+strings.Repeat("one ", e.Limit())), query(t, e, text+" "+strings.Repeat("two ", e.Limit()))
	if c := Cosine(a, b); c < 0.95 {
		t.Errorf("queries that differ only near and beyond the limit have cosine %.3f", c)
	}
}

func cancel(t *testing.T, e embed.Embedder) {
	t.Helper()
	done, stop := context.WithCancel(t.Context())
	stop()
	if _, err := e.EmbedQuery(done, "late"); !errors.Is(err, context.Canceled) {
		t.Errorf("EmbedQuery after the end of its context: %v", err)
	}
	if got, err := e.EmbedDocuments(done, texts); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("EmbedDocuments after the end of its context: %d vectors, %v", len(got), err)
	}

	// A context that ends while texts are embedded gives its error or, where
	// the provider did not look again, all vectors: never some.
	many := slices.Repeat(texts, 8)
	for _, looks := range []int64{1, 2, 10, 40} {
		got, err := e.EmbedDocuments(dying(t.Context(), looks), many)
		switch {
		case errors.Is(err, context.Canceled) && got == nil:
		case err == nil && looks > 1:
			if err := embed.Validate(got, len(many), e.Space()); err != nil {
				t.Errorf("a context that ended at look %d: %v", looks, err)
			}
		default:
			t.Errorf("a context that ended at look %d: %d vectors, %v", looks, len(got), err)
		}
	}
	documents(t, e, texts) // still works
}

// mortal is a context that is cancelled when it has been looked at often enough.
type mortal struct {
	context.Context //nolint:containedctx // it is a context
	left            atomic.Int64
	cancel          context.CancelFunc
}

func dying(parent context.Context, looks int64) *mortal {
	ctx, cancel := context.WithCancel(parent)
	m := &mortal{Context: ctx, cancel: cancel}
	m.left.Store(looks)
	return m
}

func (m *mortal) Done() <-chan struct{} {
	m.look()
	return m.Context.Done()
}

func (m *mortal) Err() error {
	m.look()
	return m.Context.Err()
}

func (m *mortal) look() {
	if m.left.Add(-1) == 0 {
		m.cancel()
	}
}

func closing(t *testing.T, e embed.Embedder, want [][]float32) {
	t.Helper()
	documents(t, e, texts[:1]) // loaded
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := e.EmbedDocuments(t.Context(), texts)
			switch {
			case err == nil:
				wantSame(t, got, want)
			case !errors.Is(err, embed.ErrClosed):
				t.Errorf("EmbedDocuments during Close: %v", err)
			}
		})
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	wg.Wait()
	if _, err := e.EmbedQuery(t.Context(), "late"); !errors.Is(err, embed.ErrClosed) {
		t.Errorf("EmbedQuery after Close: %v", err)
	}
	if _, err := e.EmbedDocuments(t.Context(), texts); !errors.Is(err, embed.ErrClosed) {
		t.Errorf("EmbedDocuments after Close: %v", err)
	}
}

func documents(tb testing.TB, e embed.Embedder, texts []string) [][]float32 {
	tb.Helper()
	got, err := e.EmbedDocuments(tb.Context(), texts)
	if err == nil {
		err = embed.Validate(got, len(texts), e.Space())
	}
	if err != nil {
		tb.Errorf("EmbedDocuments: %v", err)
		return make([][]float32, len(texts))
	}
	return got
}

func query(tb testing.TB, e embed.Embedder, text string) []float32 {
	tb.Helper()
	got, err := e.EmbedQuery(tb.Context(), text)
	if err == nil {
		err = embed.Validate([][]float32{got}, 1, e.Space())
	}
	if err != nil {
		tb.Errorf("EmbedQuery: %v", err)
	}
	return got
}

func wantSame(tb testing.TB, got, want [][]float32) {
	tb.Helper()
	for i := range want {
		if c := Cosine(got[i], want[i]); !(c >= same) {
			tb.Errorf("vector %d has cosine %.5f with the expected one", i, c)
		}
	}
}

// Cosine returns the cosine of two unit vectors, 0 when their lengths differ.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}
