package search

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// shelf is a library in memory: texts with the statistics that a store keeps.
type shelf struct {
	hits  []store.LexicalHit
	stats store.Stats
	df    map[store.Term]int
}

var analyzer = analyze.New()

func newShelf(lang string, texts ...string) *shelf {
	s := &shelf{df: make(map[store.Term]int)}
	for i, text := range texts {
		terms := analyzer.Analyze(text, lang)
		s.hits = append(s.hits, store.LexicalHit{Chunk: corpus.ID{byte(i >> 8), byte(i)}, Terms: terms.Encode(), Length: terms.Length})
		s.stats.Chunks++
		s.stats.Length += int64(terms.Length)
		seen := make(map[store.Term]bool)
		for _, w := range terms.Whole {
			seen[store.Term{Text: w}] = true
		}
		for _, p := range terms.Parts {
			seen[store.Term{Part: true, Text: p}] = true
		}
		for term := range seen {
			s.df[term]++
		}
	}
	return s
}

// ask returns the ranker of a query, weighed, and the ranking by text number.
func (s *shelf) ask(t testing.TB, query, lang string) (*ranker, []Scored) {
	t.Helper()
	r := newRanker(analyzer.Query(query, []string{lang}))
	stats := s.stats
	for _, term := range r.terms {
		stats.Frequency = append(stats.Frequency, s.df[term])
	}
	if err := r.weigh(stats); err != nil {
		t.Fatal(err)
	}
	var all []Scored
	for _, hit := range s.hits {
		got, err := r.score(hit)
		if err != nil {
			t.Fatal(err)
		}
		if got.sum > 0 {
			all = append(all, Scored{Chunk: hit.Chunk, Score: got.sum})
		}
	}
	rank(all)
	return r, all
}

func order(all []Scored) []int {
	var ids []int
	for _, s := range all {
		ids = append(ids, int(s.Chunk[1]))
	}
	return ids
}

func TestScoreIsBM25(t *testing.T) {
	// Lengths 4, 2, 2 and 8: the mean is 4.
	s := newShelf("", "wing wing lift drag", "wing lift", "lift heat", "a b c d e f g h")
	_, got := s.ask(t, "wing", "")
	idf := math.Log(1 + (4-2+.5)/(2+.5))
	// tf 2 in a text of mean length; tf 1 in half of it. The typed form itself
	// counts a fifth more.
	want := []Scored{
		{Chunk: corpus.ID{0, 1}, Score: 1.2 * idf * 1 * 2.2 / (1 + 1.2*(.25+.75*.5))},
		{Chunk: corpus.ID{0, 0}, Score: 1.2 * idf * 2 * 2.2 / (2 + 1.2)},
	}
	slices.SortFunc(want, func(a, b Scored) int { return int(math.Copysign(1, b.Score-a.Score)) })
	for i := range want {
		if i >= len(got) || got[i].Chunk != want[i].Chunk || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
			t.Fatalf("scores %v, want %v", got, want)
		}
	}
}

func TestRanking(t *testing.T) {
	tests := []struct {
		name, lang, query string
		texts             []string
		want              []int
	}{
		{"any term, rare ones first", "en", "boundary layer transition", []string{"layer of paint", "boundary stone", "transition of power", "layer cake", "layer boundary"}, []int{4, 2, 1, 0, 3}},
		{"focused before padded (S76)", "en", "lift", []string{strings.Repeat("nothing of note here ", 60) + "lift lift", "lift"}, []int{1, 0}},
		{"a rare word outweighs repeated common ones", "en", "pump zirconium", []string{"pump pump pump pump", "zirconium rod", "pump", "pump", "pump"}, []int{1, 0, 2, 3, 4}},
		{"forms of a word", "en", "running", []string{"he runs", "she reads", "running"}, []int{2, 0}},
		{"name before its scattered parts", "en", "XPS-9520-4K", []string{"xps 9520 4k xps 9520 4k xps 9520 4k", "the XPS-9520-4K panel arrived in a box"}, []int{1, 0}},
		{"function words alone", "en", "to be or not to be", []string{"to be or not to be", "something else", "be"}, []int{0, 2}},
		{"without accents", "fr", "universite", []string{"l'université", "la ville"}, []int{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := newShelf(tt.lang, tt.texts...).ask(t, tt.query, tt.lang)
			if diff := cmp.Diff(tt.want, order(got)); diff != "" {
				t.Errorf("ranking (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCoverageAndNames(t *testing.T) {
	s := newShelf("en", "error XC23 in the box", "box", "an error")
	tests := []struct {
		query    string
		pins     bool
		coverage []float64 // by text
		named    []bool
		unknown  []string
	}{
		{"XC23", true, []float64{1, 0, 0}, []bool{true, false, false}, nil},
		{"what is in box XC23?", true, []float64{1, -1, 0}, []bool{true, false, false}, nil},
		{"error box", false, []float64{1, .5, .5}, nil, nil},
		{"error zebra", false, nil, nil, []string{"zebra"}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			r, _ := s.ask(t, tt.query, "en")
			if r.pins() != tt.pins {
				t.Errorf("pins: %v", r.pins())
			}
			for i, want := range tt.coverage {
				got, err := r.score(s.hits[i])
				if err != nil {
					t.Fatal(err)
				}
				if want >= 0 && math.Abs(got.coverage-want) > 1e-9 {
					t.Errorf("text %d: coverage %v, want %v", i, got.coverage, want)
				}
				if tt.named != nil && got.named != tt.named[i] {
					t.Errorf("text %d: named %v", i, got.named)
				}
			}
			if diff := cmp.Diff(tt.unknown, r.unknown()); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
		})
	}
}

// A name that many passages hold pins nothing while it stands among other words.
func TestCommonNamesDoNotPin(t *testing.T) {
	s := newShelf("en", slices.Repeat([]string{"HTTP/2 and IPv4"}, nameLimit+1)...)
	if r, _ := s.ask(t, "configure IPv4", "en"); r.pins() {
		t.Error("a common name among words pins")
	}
	if r, _ := s.ask(t, "IPv4", "en"); !r.pins() {
		t.Error("a common name alone does not pin")
	}
}

func TestScoreRefusesDamage(t *testing.T) {
	r := newRanker(analyzer.Query("x", nil))
	if err := r.weigh(store.Stats{Chunks: 1}); err == nil {
		t.Error("missing frequencies were accepted")
	}
	if _, err := r.score(store.LexicalHit{Chunk: corpus.NewID(), Terms: []byte("?")}); err == nil {
		t.Error("a damaged record was scored")
	}
}
