package api

import (
	"strconv"
	"strings"
)

// SearchRequest is a search. Fields left out take the library's defaults.
type SearchRequest struct {
	Query    string              `json:"query"`
	K        int                 `json:"k,omitempty"`         // hits, 1–100, default 6
	Mode     string              `json:"mode,omitempty"`      // hybrid (default), keyword, vector
	Filters  map[string][]string `json:"filters,omitempty"`   // field -> any of the values
	MinScore *float64            `json:"min_score,omitempty"` // on the mode's own scores
	Fusion   string              `json:"fusion,omitempty"`    // convex (default), rrf
	Weight   *float64            `json:"weight,omitempty"`    // of the vector leg, 0–1
	Explain  bool                `json:"explain,omitempty"`
}

// Pairs reads KEY=VALUE texts into filters; nil for none. The first text that
// is no such pair is returned as bad.
func Pairs(list []string) (pairs map[string][]string, bad string) {
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, strconv.Quote(text)
		}
		if pairs == nil {
			pairs = map[string][]string{}
		}
		pairs[key] = append(pairs[key], value)
	}
	return pairs, ""
}

// SearchResponse is the ranking.
type SearchResponse struct {
	Query  string  `json:"query"`
	Mode   string  `json:"mode"`
	TookMS float64 `json:"took_ms"`
	Hits   []Hit   `json:"hits"`
	// Notes are what the user should know: vectors still missing, no model for
	// this language, a leg left out.
	Notes []string `json:"notes,omitempty"`
	// Unknown are query words that stand nowhere in the library.
	Unknown     []string     `json:"unknown,omitempty"`
	Diagnostics *Diagnostics `json:"diagnostics,omitempty"` // with Explain
}

// Hit is a passage found.
type Hit struct {
	Rank       int      `json:"rank"`
	Score      float64  `json:"score"`
	Chunk      string   `json:"chunk"`
	Document   string   `json:"document"` // id
	Source     string   `json:"source"`   // id
	SourceName string   `json:"source_name"`
	Path       string   `json:"path"`
	Title      string   `json:"title"`
	Type       string   `json:"type"`
	URI        string   `json:"uri,omitempty"` // of an inline document: where it is from
	Location   Location `json:"location"`
	Text       string   `json:"text"`
	// Snippet is the best window of the text with matches between "**"; Marks is the
	// same in segments.
	Snippet    string       `json:"snippet"`
	Marks      []Segment    `json:"marks"`
	Legs       Legs         `json:"legs"`
	Duplicates []Duplicate  `json:"duplicates,omitempty"` // same passage elsewhere, folded
	Explain    *Explanation `json:"explain,omitempty"`    // with Explain
}

// Legs tells each leg's rank and native score; a leg that did not find the hit is absent.
type Legs struct {
	Keyword *Leg `json:"keyword,omitempty"`
	Vector  *Leg `json:"vector,omitempty"`
}

// Leg is one leg's judgement: BM25 or cosine.
type Leg struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Duplicate is a folded hit.
type Duplicate struct {
	Document string   `json:"document"`
	Path     string   `json:"path"`
	Location Location `json:"location"`
}

// Explanation says why a hit stands where it stands.
type Explanation struct {
	Sentence string       `json:"sentence"`
	Fusion   string       `json:"fusion,omitempty"`
	Weight   float64      `json:"weight"` // of the vector leg
	Terms    []TermWeight `json:"terms"`
}

// TermWeight is one query term's part of the keyword score.
type TermWeight struct {
	Term      string  `json:"term"`
	Frequency int     `json:"frequency"` // in the passage
	Documents int     `json:"documents"` // passages of the library that have it
	Score     float64 `json:"score"`
}

// Diagnostics are the query's numbers.
type Diagnostics struct {
	K                 int     `json:"k"`
	MinScore          float64 `json:"min_score"`
	KeywordCandidates int     `json:"keyword_candidates"`
	VectorCandidates  int     `json:"vector_candidates"`
	EmbedMS           float64 `json:"embed_ms"`
	StoreMS           float64 `json:"store_ms"`
	RankMS            float64 `json:"rank_ms"`
	ExactVectors      bool    `json:"exact_vectors"`
}

// Segment is a piece of text; segments follow each other without gap.
type Segment struct {
	Text string `json:"text"`
	Mark string `json:"mark,omitempty"` // "match", "passage"; empty: plain
}

// Location is a place in a document, in the original's own terms.
type Location struct {
	Start     int      `json:"start"` // bytes of the stored text
	End       int      `json:"end"`
	Page      int      `json:"page,omitempty"`
	PageEnd   int      `json:"page_end,omitempty"`
	Headings  []string `json:"headings,omitempty"`
	LineStart int      `json:"line_start,omitempty"`
	LineEnd   int      `json:"line_end,omitempty"`
	Sheet     string   `json:"sheet,omitempty"`
	RowStart  int      `json:"row_start,omitempty"`
	RowEnd    int      `json:"row_end,omitempty"`
	Slide     int      `json:"slide,omitempty"`
	Label     string   `json:"label"` // for people: "p. 12", "lines 40–52", "§ Deposits"
}

// AskRequest is a question. It is narrowed as a search is.
type AskRequest struct {
	RunID    string              `json:"run_id,omitempty"`
	Question string              `json:"question"`
	K        int                 `json:"k,omitempty"`       // passages to read, 1–100, default 8
	Filters  map[string][]string `json:"filters,omitempty"` // field -> any of the values
}

// Answer is an answer with its evidence.
type Answer struct {
	Question   string     `json:"question"`
	Answer     string     `json:"answer"` // with [Citation n] after each claim
	Parts      []Part     `json:"parts"`  // the same, pre-split for rendering
	Citations  []Citation `json:"citations"`
	Sufficient bool       `json:"sufficient"` // false: the answer is the refusal sentence
	Model      string     `json:"model"`      // "extractive" without a language model
	Considered []Hit      `json:"considered"` // retrieved, not used
	Searched   string     `json:"searched"`   // the query that was run
	// Notes are what the user should know of the search behind the answer.
	Notes  []string `json:"notes,omitempty"`
	TookMS float64  `json:"took_ms"`
}

// Part is a sentence of the answer with the citations behind it.
type Part struct {
	Text      string `json:"text"`
	Citations []int  `json:"citations"`
}

// Citation is one piece of evidence.
type Citation struct {
	N          int      `json:"n"`
	Chunk      string   `json:"chunk"`
	Document   string   `json:"document"`
	SourceName string   `json:"source_name"`
	Path       string   `json:"path"`
	Title      string   `json:"title"`
	URI        string   `json:"uri,omitempty"`
	Location   Location `json:"location"`
	Quote      string   `json:"quote"` // verbatim at the location
	State      string   `json:"state"` // supported, weak, unsupported, stale
}

// DocumentRequest asks for a document, marked at a passage or a quote.
type DocumentRequest struct {
	Document string `json:"document"` // id
	Chunk    string `json:"chunk,omitempty"`
	Start    int    `json:"start,omitempty"` // or a byte range of the stored text
	End      int    `json:"end,omitempty"`
}

// Document is a document for the viewer.
type Document struct {
	ID         string            `json:"id"`
	Source     string            `json:"source"`
	SourceName string            `json:"source_name"`
	Path       string            `json:"path"`
	Title      string            `json:"title"`
	URI        string            `json:"uri,omitempty"`
	Type       string            `json:"type"`
	Language   string            `json:"language"`
	Metadata   map[string]any    `json:"metadata"`
	Revision   int64             `json:"revision"`
	IndexedAt  string            `json:"indexed_at"`
	Stale      bool              `json:"stale"`          // the file changed since it was indexed
	Gone       bool              `json:"gone,omitempty"` // it changed by being no longer there
	Segments   []DocumentSegment `json:"segments"`
	Passages   []Location        `json:"passages"`           // where each passage stands, in their order
	Reading    Reading           `json:"reading"`            // how well the file could be read
	Location   *Location         `json:"location,omitempty"` // of the mark
}

// DocumentSegment is a piece of the stored text; segments follow each other
// without gap. Those of one passage carry its number.
type DocumentSegment struct {
	Text    string `json:"text"`
	Mark    bool   `json:"mark,omitempty"`
	Passage int    `json:"passage"` // from 1
	Line    int    `json:"line,omitempty"`
}
