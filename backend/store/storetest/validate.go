package storetest

import (
	"math"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var validations = aspect{"Validation", map[string]func(l *library){
	"Changes":   validateChanges,
	"Documents": validateDocuments,
	"Vectors":   validateVectors,
}}

// validateChanges: bad input is refused before anything is written, though it
// comes after good input, and the document is named (E2).
func validateChanges(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "before", "one"))
	good := change(g.ID, "good", "text")
	bad := map[string]func(c *store.Change){
		"no id":               func(c *store.Change) { c.Document.ID = corpus.NoID },
		"no source":           func(c *store.Change) { c.Document.Source = corpus.NoID },
		"no generation":       func(c *store.Change) { c.Generation = 0 },
		"negative revision":   func(c *store.Change) { c.From = -1 },
		"unknown state":       func(c *store.Change) { c.Document.State = "odd" },
		"reserved metadata":   func(c *store.Change) { c.Document.Metadata = corpus.Metadata{"tenant": "other"} },
		"nested metadata":     func(c *store.Change) { c.Document.Metadata = corpus.Metadata{"a": map[string]any{}} },
		"infinite metadata":   func(c *store.Change) { c.Document.Metadata = corpus.Metadata{"a": math.Inf(1)} },
		"metadata with NUL":   func(c *store.Change) { c.Document.Metadata = corpus.Metadata{"a": "x\x00"} },
		"blank passage":       func(c *store.Change) { reidentify(c, func(x *corpus.Chunk) { x.Content = " \n\t" }) },
		"not identified":      func(c *store.Change) { c.Entries[1].Chunk.ID = corpus.NewID() },
		"no passage id":       func(c *store.Change) { c.Entries[1].Chunk.ID = corpus.NoID },
		"hash of other text":  func(c *store.Change) { c.Entries[1].Chunk.Content = "changed" },
		"passage twice":       func(c *store.Change) { c.Entries[1] = c.Entries[0]; c.Entries[1].Chunk.Index = 1 },
		"wrong order":         func(c *store.Change) { c.Entries[0], c.Entries[1] = c.Entries[1], c.Entries[0] },
		"end before start":    func(c *store.Change) { c.Entries[1].Chunk.Location.End = 0 },
		"beyond the text":     func(c *store.Change) { c.Entries[1].Chunk.Location.End = 1000 },
		"negative length":     func(c *store.Change) { c.Entries[1].Length = -1 },
		"text not UTF-8":      func(c *store.Change) { c.Text = strings.Repeat("\xff", len(c.Text)) },
		"text with NUL":       func(c *store.Change) { c.Text = strings.Repeat("\x00", len(c.Text)) },
		"title not UTF-8":     func(c *store.Change) { c.Document.Title = "\xff" },
		"term not UTF-8":      func(c *store.Change) { c.Entries[1].Whole = []string{"\xff"} },
		"same document twice": nil,
	}
	for name, spoil := range bad {
		c := change(g.ID, "the bad one", "first", "second")
		changes := []store.Change{good, c}
		if spoil != nil {
			c.Entries = append([]store.Entry{}, c.Entries...)
			spoil(&c)
			changes[1] = c
		} else {
			changes = append(changes, c)
		}
		l.unchanged(func() {
			_, err := l.w.Commit(l.t.Context(), changes...)
			if err == nil {
				t.Errorf("%s: accepted", name)
				return
			}
			l.wants(err, corpus.ErrInvalid)
			if !strings.Contains(err.Error(), "the bad one") {
				t.Errorf("%s: error %q does not name the document", name, err)
			}
		})
	}
	l.unchanged(func() {
		c := change(g.ID, "", "text")
		_, err := l.w.Commit(l.t.Context(), c)
		l.wants(err, corpus.ErrInvalid)
		many := corpus.Metadata{}
		for i := range corpus.MaxMetadataFields + 1 {
			many[number(i)] = "x"
		}
		_, err = l.w.Commit(l.t.Context(), with(good, func(d *corpus.Document) { d.Metadata = many }))
		l.wants(err, corpus.ErrLimit)
	})
}

// reidentify edits the second passage and identifies the passages again.
func reidentify(c *store.Change, edit func(x *corpus.Chunk)) {
	chunks := []corpus.Chunk{c.Entries[0].Chunk, c.Entries[1].Chunk}
	edit(&chunks[1])
	corpus.Identify(c.Document.ID, chunks)
	c.Entries[0].Chunk, c.Entries[1].Chunk = chunks[0], chunks[1]
}

func validateDocuments(l *library) {
	t := l.t
	g := l.build()
	good := change(g.ID, "good").Document
	l.unchanged(func() {
		for name, spoil := range map[string]func(d *corpus.Document){
			"no id":     func(d *corpus.Document) { d.ID = corpus.NoID },
			"no source": func(d *corpus.Document) { d.Source = corpus.NoID },
			"state":     func(d *corpus.Document) { d.State = "" },
			"metadata":  func(d *corpus.Document) { d.Metadata = corpus.Metadata{"source": "x"} },
			"error":     func(d *corpus.Document) { d.Error = "\x00" },
		} {
			bad := change(g.ID, "the bad one").Document
			spoil(&bad)
			err := l.w.Record(l.t.Context(), good, bad)
			l.wants(err, corpus.ErrInvalid)
			if !strings.Contains(err.Error(), "the bad one") {
				t.Errorf("%s: error %q does not name the document", name, err)
			}
		}
		l.wants(l.w.Record(l.t.Context(), good, good), corpus.ErrInvalid)
	})
}

func validateVectors(l *library) {
	g := l.build()
	c := change(g.ID, "a", "one", "two")
	l.commit(c)
	with := func(v []float32) map[corpus.Hash][]float32 {
		m := vectors(c)
		m[c.Entries[1].Chunk.Hash] = v
		return m
	}
	nan, inf := vector("x"), vector("x")
	nan[3], inf[3] = float32(math.NaN()), float32(math.Inf(-1))
	huge := space
	huge.Dimensions = l.store.Capabilities().MaxDimensions + 1
	l.unchanged(func() {
		for _, v := range [][]float32{nil, vector("x")[1:], append(vector("x"), 1), nan, inf, make([]float32, dimensions)} {
			l.wants(l.w.PutVectors(l.t.Context(), space, with(v)), corpus.ErrInvalid)
		}
		l.wants(l.w.PutVectors(l.t.Context(), huge, with(make([]float32, huge.Dimensions))), corpus.ErrLimit)
	})
}
