package hash_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/embedtest"
	"ibid/backend/embed/hash"
)

func open(tb testing.TB, dim int) embed.Embedder {
	tb.Helper()
	e, err := hash.New(dim)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestConformance(t *testing.T) {
	embedtest.Exercise(t, func(tb testing.TB) embed.Embedder {
		tb.Helper()
		return open(tb, 0)
	})
}

func TestNew(t *testing.T) {
	for dim, want := range map[int]int{0: hash.Dimensions, 1: 1, 64: 64, hash.MaxDimensions: hash.MaxDimensions} {
		if got := open(t, dim).Space().Dimensions; got != want {
			t.Errorf("New(%d) has %d dimensions, want %d", dim, got, want)
		}
	}
	for _, dim := range []int{-1, hash.MaxDimensions + 1} {
		if _, err := hash.New(dim); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("New(%d): %v, want ErrInvalid", dim, err)
		}
	}
}

func TestCount(t *testing.T) {
	tests := map[string]int{
		"":                          0,
		" \t\r\n\u00a0\u3000":       0,
		"word":                      1,
		"eightish":                  1,
		"eightish9":                 2,
		strings.Repeat("a", 80):     10,
		"two words":                 2,
		"C++, v1.2":                 7,
		"Größe":                     1,
		"中文字":                       3,
		"a中b":                       3,
		"한국어":                       3,
		"😀!":                        2,
		"\xff":                      1,
		"snake_case and kebab-case": 7,
	}
	e := open(t, 0)
	for text, want := range tests {
		if got := e.Count(text); got != want {
			t.Errorf("Count(%q) = %d, want %d", text, got, want)
		}
	}
}

// The vectors are part of the space's identity: whoever changes them changes
// the space's format with them.
func TestVectorsStay(t *testing.T) {
	v, err := open(t, 8).EmbedQuery(t.Context(), "Straße 5, 東京: it's naïve!")
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{-0.535557, -0.549841, 0.196875, 0.264135, 0.373544, 0, 0.215666, -0.340997}
	if diff := cmp.Diff(want, v, cmp.Comparer(func(a, b float32) bool { return a-b < 1e-5 && b-a < 1e-5 })); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}
}

func TestCaseDoesNotMatter(t *testing.T) {
	got, err := open(t, 0).EmbedDocuments(t.Context(), []string{"Über ERR_42 Straße", "über err_42 straße"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Errorf("upper and lower case differ:\n%s", diff)
	}
}

func FuzzHash(f *testing.F) {
	for _, seed := range []string{"", "a", "The quick brown fox.", "中文 mixed テキスト", "\xf0\x28\x8c\x28", strings.Repeat("long ", 300)} {
		f.Add(seed)
	}
	e, err := hash.New(32)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := e.EmbedQuery(t.Context(), text)
		if err == nil {
			err = embed.Validate([][]float32{q}, 1, e.Space())
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.EmbedDocuments(t.Context(), []string{text})
		if over := e.Count(text) > e.Limit(); over != errors.Is(err, corpus.ErrLimit) || !over && err != nil {
			t.Fatalf("%d tokens: %v", e.Count(text), err)
		}
		if err == nil && !cmp.Equal(d[0], q) {
			t.Fatal("query and document differ")
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	text := strings.Repeat("The pump P-101A delivers twelve cubic metres an hour at three bar. ", 16)
	e, err := hash.New(0)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d tokens, %d bytes", e.Count(text), len(text))
	texts := []string{text}
	for b.Loop() {
		if _, err := e.EmbedDocuments(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
