package search

import (
	"fmt"
	"time"
	"unicode/utf8"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Mode is which legs run.
type Mode string

// Modes. A hybrid search whose vector leg cannot run answers by words and says
// so in its notes.
const (
	Keyword Mode = "keyword"
	Vector  Mode = "vector"
	Hybrid  Mode = "hybrid"
)

// Bounds of a request.
const (
	MaxK     = corpus.MaxHits
	MaxQuery = corpus.MaxQueryCharacters
)

// Request is a search. Zero values mean the settings.
type Request struct {
	Query string
	// Literal takes the query for text as it is, such as a question, not for
	// the query language.
	Literal bool
	K       int
	Mode    Mode
	Filter  store.Filter // beside what the query says
	// MinScore leaves out passages below it: BM25 in keyword mode, cosine in
	// vector mode, the fused score in hybrid mode. With it the automatic cut
	// ("nothing relevant") is off.
	MinScore *float64
	Fusion   Fusion   // hybrid mode only
	Weight   *float64 // of the vector leg, 0…1; hybrid mode only
	Explain  bool
	Zone     *time.Location // of dates in the query; nil: UTC
	// Stage is told what begins: "embed", "retrieve". It may be nil and must
	// not block.
	Stage func(string)
}

// Settings are what requests leave open.
type Settings struct {
	K      int // 1…MaxK
	Mode   Mode
	Fusion Fusion
	Weight float64 // of the vector leg, 0…1
	// Multiplier times K is how many candidates a leg gives to the fusion, at
	// least 100: its scores are stretched over them.
	Multiplier int
}

// DefaultSettings were the best on four public sets.
func DefaultSettings() Settings {
	return Settings{K: 6, Mode: Hybrid, Fusion: Convex, Weight: 0.5, Multiplier: 4}
}

func (s Settings) validate() error {
	if s.K < 1 || s.K > MaxK {
		return fmt.Errorf("%w: %d hits asked for, 1 to %d can be", corpus.ErrInvalid, s.K, MaxK)
	}
	if s.Mode != Keyword && s.Mode != Vector && s.Mode != Hybrid {
		return fmt.Errorf("%w: unknown search mode %q", corpus.ErrInvalid, s.Mode)
	}
	if s.Fusion != Convex && s.Fusion != RRF {
		return fmt.Errorf("%w: unknown fusion %q", corpus.ErrInvalid, s.Fusion)
	}
	if !(s.Weight >= 0 && s.Weight <= 1) {
		return fmt.Errorf("%w: weight %v of the vector leg is not between 0 and 1", corpus.ErrInvalid, s.Weight)
	}
	if s.Multiplier < 1 {
		return fmt.Errorf("%w: candidate multiplier %d", corpus.ErrInvalid, s.Multiplier)
	}
	return nil
}

// settle fills in what the request leaves open, and refuses what its mode
// cannot honour.
func (r Request) settle(s Settings) (Settings, error) {
	if r.K != 0 {
		s.K = r.K
	}
	if r.Mode != "" {
		s.Mode = r.Mode
	}
	if s.Mode != Hybrid && (r.Fusion != "" || r.Weight != nil) {
		return s, fmt.Errorf("%w: %s mode has no fusion and no weight", corpus.ErrInvalid, s.Mode)
	}
	if r.Fusion != "" {
		s.Fusion = r.Fusion
	}
	if r.Weight != nil {
		s.Weight = *r.Weight
	}
	if r.MinScore != nil && *r.MinScore != *r.MinScore {
		return s, fmt.Errorf("%w: the minimal score is not a number", corpus.ErrInvalid)
	}
	if n := utf8.RuneCountInString(r.Query); n > MaxQuery {
		return s, fmt.Errorf("%w: query of %d characters, at most %d", corpus.ErrLimit, n, MaxQuery)
	}
	if err := r.Filter.Validate(); err != nil {
		return s, err
	}
	return s, s.validate()
}

// Result is a ranking and how it came about.
type Result struct {
	Query string // as typed
	Text  string // what was searched for: the query without its filters
	Mode  Mode
	Hits  []Hit
	// Notes are what the user should know: a leg left out, vectors missing,
	// nothing near enough.
	Notes       []string
	Unknown     []string // what was typed that stands nowhere in the library
	Asked       []Asked  // what was asked for
	Diagnostics Diagnostics
}

// Asked is one thing that was asked for, and what it counts.
type Asked struct {
	analyze.Unit
	Passages int     // of the library, that have it
	Weight   float64 // its rarity; less for a part of a name
}

// Hit is a passage found.
type Hit struct {
	Rank int // from 1
	// Score falls with the rank: BM25, cosine or fused, by mode.
	Score   float64
	Keyword *Judgement // nil: not found by this leg
	Vector  *Judgement
	store.Passage
	Snippet    Snippet         // of the passage's content, without marks such as Markdown's
	Duplicates []store.Passage // the same words elsewhere, folded into this hit
	Support    Support         // how far it says something about the query
	Pinned     bool            // it holds every name of the query and stands first for that
	Explanation
}

// Explanation says why a hit stands where it stands; Terms only if asked for.
type Explanation struct {
	Why   string
	Terms []TermScore
}

// TermScore is one unit's part of the keyword score.
type TermScore struct {
	Term      string
	Frequency int // in the passage
	Passages  int // of the library, that have it
	Score     float64
}

// Diagnostics are a search's numbers.
type Diagnostics struct {
	Settings                  // as applied
	Languages        []string // of the library, that the query's words were stemmed by
	KeywordPool      int      // passages that the store offered
	KeywordFound     int      // of these, that went into the fusion
	VectorFound      int
	Exact            bool    // the vector leg was an exact scan
	BestSupport      float64 // of all candidates; hybrid mode with a measured model only
	Irrelevant       bool    // it was too little, so that there are no hits
	Embed, Read, Fit time.Duration
}
