package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
)

// snip makes the snippet of a text for a query, all units of equal weight, and
// returns it with its matches in brackets.
func snip(text, lang, query string) (Snippet, string) {
	units := newRanker(analyzer.Query(query, []string{lang})).units
	s := newMatcher(units, func(int) float64 { return 1 }).snip(text, analyzer.Tokens(text, lang))
	var b strings.Builder
	end := 0
	for _, m := range s.Matches {
		b.WriteString(s.Text[end:m.Start] + "[" + s.Text[m.Start:m.End] + "]")
		end = m.End
	}
	return s, b.String() + s.Text[end:]
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Nothing of note is said in this sentence. ", 12)
	tests := []struct{ name, lang, query, text, want string }{
		{"short text", "en", "wing", "The wings lift.", "The [wings] lift."},
		{"forms and names", "en", "running std::vector", "He ran; she runs std::vector now.", "He ran; she [runs] [std::vector] now."},
		{"from the sentence's beginning", "en", "zirconium", filler + "The rods are of zirconium. " + "End.", "The rods are of [zirconium]. End."},
		{"the window with more of the query", "en", "alpha beta", "alpha. " + filler + "alpha and beta.", "alpha and beta"},
		{"accents", "fr", "ecole", "À l'école primaire", "À [l'école] primaire"},
		{"pairs are one match", "ja", "東京都", "昨日、東京都に行った。", "昨日、[東京都]に行った。"},
		{"one character", "ja", "都", "昨日、東京都に行った。", "昨日、東京[都]に行った。"},
		{"no match", "en", "absent", "  Something else.", "Something else."},
		{"empty", "en", "absent", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, marked := snip(tt.text, tt.lang, tt.query)
			plain := strings.NewReplacer("[", "", "]", "")
			if !strings.Contains(plain.Replace(marked), plain.Replace(tt.want)) {
				t.Errorf("snippet %q lacks %q", marked, tt.want)
			}
			if strings.Contains(tt.want, "[") && !strings.Contains(marked, tt.want) {
				t.Errorf("snippet %q, want %q", marked, tt.want)
			}
			if s.Text != tt.text[s.Start:s.End] {
				t.Errorf("snippet %q is not text[%d:%d]", s.Text, s.Start, s.End)
			}
		})
	}
}

func TestSnippetIsShort(t *testing.T) {
	for _, unit := range []string{"word ", "語", "x"} {
		s, _ := snip(strings.Repeat(unit, 2000)+" needle "+strings.Repeat(unit, 2000), "en", "needle")
		if len(s.Text) > SnippetBytes+utf8.UTFMax || !strings.Contains(s.Text, "needle") {
			t.Errorf("snippet of %d bytes: %q", len(s.Text), s.Text)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("The wings of an aircraft lift it.", "wing lift")
	f.Add(strings.Repeat("e\u0301", 300)+"x"+strings.Repeat("👩‍👩‍👧", 60), "x")
	f.Add(strings.Repeat("東京都", 100), "京都 都")
	f.Add("\xff\r\n\u0300", "a")
	f.Fuzz(func(t *testing.T, text, query string) {
		s, _ := snip(text, "en", query)
		if s.Text != text[s.Start:s.End] {
			t.Fatalf("snippet %q is not text[%d:%d]", s.Text, s.Start, s.End)
		}
		end := 0
		for _, m := range s.Matches {
			if m.Start < end || m.Start >= m.End || m.End > len(s.Text) {
				t.Fatalf("matches %v of %q", s.Matches, s.Text)
			}
			end = m.End
		}
		borders := map[int]bool{0: true}
		pos := 0
		for it := graphemes.FromString(text); it.Next(); {
			pos += len(it.Value())
			borders[pos] = true
		}
		if utf8.ValidString(text) && (!borders[s.Start] || !borders[s.End]) {
			t.Fatalf("snippet %d:%d cuts a grapheme of %q", s.Start, s.End, text)
		}
	})
}

func TestMatchesTouchNoNeighbour(t *testing.T) {
	_, marked := snip("wi-fi and wifi, C# and C++", "en", "wifi C#")
	if diff := cmp.Diff("[wi]-fi and [wifi], [C#] and C++", marked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
