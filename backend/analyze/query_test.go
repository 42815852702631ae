package analyze

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuery(t *testing.T) {
	a := New()
	tests := []struct {
		name, text, languages string
		want                  []string // form|form, "~" before a piece, "-" before a function word, "*n" after a repeated one
	}{
		{"one language", "running engines", "en", []string{"running|run", "engines|engin"}},
		{"two languages", "running engines", "en de", []string{"running|run", "engines|engin"}},
		{"function words", "What is the lift of a wing", "en", []string{"-what", "-is", "-the", "lift", "-of", "-a", "wing"}},
		{"only function words", "to be or not to be", "en", []string{"to*2", "be*2", "or", "not"}},
		{"one function word says no language", "die hard", "en de", []string{"die", "hard"}},
		{"two do", "wo ist die Pumpe", "en de", []string{"-wo", "-ist", "-die", "pumpe|pump"}},
		{"identifier", "ERR_0x80070005", "en", []string{"err_0x80070005|err0x80070005", "~err", "~0x80070005"}},
		{"exact", "C# C++", "en", []string{"c#", "c++"}},
		{"version", "v1.2.3", "en", []string{"v1.2.3|1.2.3", "~1.2"}},
		{"hyphens", "wi-fi", "en", []string{"wi", "~wifi", "fi"}},
		{"separators", "1,000", "en", []string{"1,000|1000"}},
		{"umlauts", "Muenchen", "de", []string{"muenchen|muench|munch"}},
		{"and back", "München", "de", []string{"munchen|munch|muench"}},
		{"without accents", "universite", "fr", []string{"universite|universit"}},
		{"characters", "東京都", "ja", []string{"東京", "京都"}},
		{"one character", "東", "ja", []string{"東"}},
		{"repeated", "flow flows Flow", "en", []string{"flow*2", "flows|flow"}},
		{"nothing", "?! -- +", "en", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, u := range a.Query(tt.text, strings.Fields(tt.languages)) {
				s := strings.Join(u.Forms, "|")
				if u.Piece {
					s = "~" + s
				}
				if u.Stop {
					s = "-" + u.Forms[0]
				}
				if u.Count > 1 {
					s += "*" + string(rune('0'+u.Count))
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
		})
	}
}

// A word typed without accents is found where its stem differs without them.
func TestAccentsAreFoundByTheWhole(t *testing.T) {
	a := New()
	checkFound(t, a.Query("universite", []string{"fr"}), a.Analyze("l'université", "fr"))
}
