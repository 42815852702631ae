package chat

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/search"
	"ibid/backend/store"
)

// Refusal is the whole answer where the library supports none.
const Refusal = "I do not have sufficient documentation to answer this question accurately."

// Extractive is the model of answers that are sentences of the documents.
const Extractive = "extractive"

// defaultK is how many passages are read for an answer.
const defaultK = 8

// Question is what is asked.
type Question struct {
	Text   string
	K      int          // passages to read; 0: 8
	Filter store.Filter // of the passages
	// Stage is told what begins: the search's stages, "assemble", "answer". It
	// may be nil and must not block.
	Stage func(string)
}

// State is how far a citation bears its claim.
type State string

// States of a citation.
const (
	// Supported: the quote stands word for word at its location, and it is the
	// claim.
	Supported State = "supported"
	// Stale: the document has changed since the quote was taken.
	Stale State = "stale"
)

// Citation is one piece of evidence.
type Citation struct {
	N       int // from 1, as in [Citation N]
	Passage store.Passage
	Quote   string
	// Location is the quote's: bytes of the document's stored text, with the
	// passage's anchor.
	Location corpus.Location
	State    State
}

// Part is a sentence of the answer and the citations that bear it.
type Part struct {
	Text      string
	Citations []int
}

// Answer is an answer with its evidence.
type Answer struct {
	Text       string // the parts, with [Citation n] after each
	Parts      []Part
	Citations  []Citation
	Sufficient bool // false: Text is Refusal
	Model      string
	Considered []search.Hit // retrieved and not cited
	Searched   string       // the query that was run
	Notes      []string     // of the search
}

// Retriever finds passages; search.Searcher does.
type Retriever interface {
	Search(ctx context.Context, r search.Request) (*search.Result, error)
}

// Answerer answers from a library. It may be used by several goroutines at once.
type Answerer struct {
	Store     store.Store
	Retriever Retriever
	analyzer  analyze.Analyzer
}

// Answer answers one question. Its errors are the retriever's and the store's;
// a question that the library cannot answer is none.
func (a *Answerer) Answer(ctx context.Context, q Question) (*Answer, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, fmt.Errorf("answer: %w: no question", corpus.ErrInvalid)
	}
	if q.K == 0 {
		q.K = defaultK
	}
	found, err := a.Retriever.Search(ctx, search.Request{Query: q.Text, Literal: true, K: q.K, Filter: q.Filter, Stage: q.Stage})
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	stage(q, "assemble")
	texts, err := a.read(ctx, found.Hits)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	stage(q, "answer")
	chosen := a.choose(found, texts)
	answer := assemble(chosen, texts)
	answer.Searched, answer.Notes = found.Text, found.Notes
	cited := make(map[corpus.ID]bool)
	for _, c := range answer.Citations {
		cited[c.Passage.ID] = true
	}
	for _, h := range found.Hits {
		if !cited[h.ID] {
			answer.Considered = append(answer.Considered, h)
		}
	}
	return answer, nil
}

func stage(q Question, name string) {
	if q.Stage != nil {
		q.Stage(name)
	}
}

// text is a document's stored text.
type text struct {
	text     string
	revision int64
}

// read returns the stored texts of the hits' documents.
func (a *Answerer) read(ctx context.Context, hits []search.Hit) (map[corpus.ID]text, error) {
	texts := make(map[corpus.ID]text)
	err := a.Store.View(ctx, func(r store.Reader) error {
		for _, h := range hits {
			if _, ok := texts[h.Document.ID]; ok {
				continue
			}
			body, revision, err := r.Text(ctx, 0, h.Document.ID)
			if err != nil {
				return err
			}
			texts[h.Document.ID] = text{body, revision}
		}
		return nil
	})
	return texts, err
}

// assemble makes the answer of chosen sentences.
func assemble(chosen []sentence, texts map[corpus.ID]text) *Answer {
	if len(chosen) == 0 {
		return &Answer{Text: Refusal, Parts: []Part{{Text: Refusal}}, Model: Extractive}
	}
	answer := &Answer{Sufficient: true, Model: Extractive}
	var parts []string
	for i, s := range chosen {
		c := Citation{N: i + 1, Passage: s.hit.Passage, Quote: s.quote, Location: s.hit.Location}
		c.Location.Start, c.Location.End = s.start, s.end
		c.State = check(c, texts[s.hit.Document.ID])
		answer.Citations = append(answer.Citations, c)
		claim := strings.Join(strings.Fields(s.quote), " ")
		answer.Parts = append(answer.Parts, Part{Text: claim, Citations: []int{c.N}})
		parts = append(parts, claim+" [Citation "+strconv.Itoa(c.N)+"]")
	}
	answer.Text = strings.Join(parts, "\n\n")
	return answer
}

// check tells whether the quote stands word for word at its location in the
// text that its passage was made of.
func check(c Citation, t text) State {
	l := c.Location
	if t.revision == c.Passage.Revision && 0 <= l.Start && l.Start <= l.End && l.End <= len(t.text) && t.text[l.Start:l.End] == c.Quote {
		return Supported
	}
	return Stale
}
