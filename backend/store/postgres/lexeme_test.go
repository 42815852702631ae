package postgres

import (
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

func TestLexemes(t *testing.T) {
	x := newLexicon(37) // "11"
	document := corpus.ID{15: 1}
	base := "'11#AAAAAAAAAAAAAAAAAAAAAQ'"
	for name, c := range map[string]struct {
		whole, parts []string
		want         string
		keys         []string
	}{
		"positions":      {[]string{"a", "", "b", "a"}, nil, base + " '11.a':1,4 '11.b':3", []string{".a", ".b"}},
		"fields":         {[]string{"a"}, []string{"a", "b", "a"}, base + " '11.a':1 '11:a' '11:b'", []string{".a", ":a", ":b"}},
		"quoted":         {[]string{`it's`, `\n`, "a b", "c:1"}, nil, base + ` '11.it''s':1 '11.\\n':2 '11.a b':3 '11.c:1':4`, []string{`.it's`, `.\n`, ".a b", ".c:1"}},
		"nothing":        {nil, nil, base, nil},
		"an empty part":  {nil, []string{""}, base + " '11:'", []string{":"}},
		"only positions": {[]string{"", ""}, nil, base, nil},
	} {
		lexemes, whole, keys, err := x.entry(document, &store.Entry{Whole: c.whole, Parts: c.parts})
		if err != nil || lexemes != c.want || whole != "" || !slices.Equal(keys, c.keys) {
			t.Errorf("%s: %s, %q, %q; want %s, %q", name, lexemes, whole, keys, c.want, c.keys)
		}
	}
}

func TestLexemesOfLongPassages(t *testing.T) {
	x := newLexicon(1)
	many := slices.Repeat([]string{"z"}, maxPlaces+1)
	lexemes, whole, _, err := x.entry(corpus.ID{}, &store.Entry{Whole: many})
	if err != nil || !strings.Contains(lexemes, "'1!'") || strings.Count(lexemes, ",") != maxPlaces-1 || strings.Count(whole, "z") != maxPlaces+1 {
		t.Errorf("too often: %s", lexemes)
	}
	far := append(make([]string, maxPosition), "end")
	if lexemes, whole, _, err = x.entry(corpus.ID{}, &store.Entry{Whole: far}); err != nil || !strings.HasSuffix(lexemes, "'1!' '1.end'") || whole == "" {
		t.Errorf("too far: %s", lexemes)
	}
	long := strings.Repeat("x", maxLexeme)
	if key := x.key(store.Term{Text: long}); len(key) > 50 || key == x.key(store.Term{Text: long + "y"}) || key == x.key(store.Term{Text: long, Part: true}) {
		t.Errorf("key of a long term: %s", key)
	}
}

func TestPhraseQueries(t *testing.T) {
	x := newLexicon(1)
	for name, c := range map[string]struct {
		phrase []string
		want   string
	}{
		"one":      {[]string{"", "a", ""}, "('1.a')"},
		"two":      {[]string{"a", "b"}, "(('1.a' <1> '1.b') | ('1!' & '1.a' & '1.b'))"},
		"a gap":    {[]string{"a", "", "b", "c"}, "(('1.a' <2> '1.b' <1> '1.c') | ('1!' & '1.a' & '1.b' & '1.c'))"},
		"too long": {append(append([]string{"a"}, make([]string, maxPosition)...), "b"), "('1!' & '1.a' & '1.b')"},
	} {
		if got := x.phrase(c.phrase); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What stands between quotes is read back as it was, and nothing after it.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "it's", `a\`, `\'`, "''", "a b | !c & (d):*", "中文"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := quote(s)
		if !strings.HasPrefix(q, "'") || !strings.HasSuffix(q, "'") {
			t.Fatalf("%q has no quotes", q)
		}
		var back strings.Builder
		for in := q[1 : len(q)-1]; in != ""; {
			if in[0] == '\'' || in[0] == '\\' { // doubled, as tsvector's and tsquery's input have it
				if len(in) < 2 || in[1] != in[0] {
					t.Fatalf("%q ends early", q)
				}
				in = in[1:]
			}
			back.WriteByte(in[0])
			in = in[1:]
		}
		if back.String() != s {
			t.Fatalf("%q is read as %q", q, back.String())
		}
	})
}
