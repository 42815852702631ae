package store

import (
	"fmt"

	"ibid/backend/corpus"
)

// Damage is a way in which the parts of a library disagree. The values are
// stable: scripts read them.
type Damage string

// Damages that a store finds by itself.
const (
	// FileDamaged: the database says that its own file is damaged.
	FileDamaged Damage = "file_damaged"
	// FileIndexDamaged: likewise of an index in it, which its table can bring
	// back. Nothing else that an audit would say can be relied on before.
	FileIndexDamaged Damage = "file_index_damaged"
	// SourceMissing: documents whose source there is not.
	SourceMissing Damage = "source_missing"
	// RecordMissing: a document has passages and no record in the ledger.
	RecordMissing Damage = "record_missing"
	// RecordDamaged: a part of a document's record cannot be read.
	RecordDamaged Damage = "record_damaged"
	// StrayRows: rows that belong to nothing.
	StrayRows Damage = "stray_rows"
	// TextMissing: a document's passages are there and its text is not.
	TextMissing Damage = "text_missing"
	// PassagesMissing: a document has other passages than were committed.
	PassagesMissing Damage = "passages_missing"
	// PassageAltered: a passage's text is not the one that its hash and id say.
	PassageAltered Damage = "passage_altered"
	// TermsWrong: the keyword index has a passage under other terms than its
	// text has, or not at all.
	TermsWrong Damage = "terms_wrong"
	// IndexStray: the keyword index lists passages that there are not.
	IndexStray Damage = "index_stray"
	// VectorMissing: a passage counts as embedded and its vector is not there,
	// or is none of its space; or it has one and does not count as embedded.
	VectorMissing Damage = "vector_missing"
	// VectorIndexWrong: what vector searches look through differs from the vectors.
	VectorIndexWrong Damage = "vector_index_wrong"
	// StatisticsWrong: a count that is kept differs from a recount.
	StatisticsWrong Damage = "statistics_wrong"
	// FieldsWrong: what filters look through differs from a document's metadata.
	FieldsWrong Damage = "fields_wrong"
)

// Finding is one place where a library is damaged.
type Finding struct {
	Damage     Damage
	Generation int64     // 0: in none in particular
	Document   corpus.ID // NoID: the library as a whole
	Passage    corpus.ID // NoID: the document as a whole
	Count      int       // how many rows, passages or values; at least 1
	Detail     string    // what exactly, for a person; may be empty
}

// Audit is what an audit or repair compares with.
type Audit struct {
	// Entry is the index entry that a passage of a document in this language
	// must have.
	Entry func(c corpus.Chunk, language string) Entry
	// Analyzer is the one that Entry analyzes with: the terms of generations
	// with another one are not compared.
	Analyzer string
	// Progress hears of passages looked at, now and then; may be nil.
	Progress func(passages int)
}

// Terms reports whether the terms of a generation can be compared.
func (a *Audit) Terms(g Generation) bool { return a.Entry != nil && a.Analyzer == g.Analyzer }

// Unreadable is the occurrence of a passage whose record cannot be read: its
// text is there, its place is not.
const Unreadable = -1

// Identified says in words how a stored passage differs from what its hash and
// id say, or "". Words count passages from 1.
func Identified(document corpus.ID, c *corpus.Chunk) string {
	switch h := c.InputHash(); {
	case c.Occurrence == Unreadable:
		return fmt.Sprintf("the record of passage %d cannot be read", c.Index+1)
	case h != c.Hash:
		return fmt.Sprintf("passage %d has another text than was committed", c.Index+1)
	case c.ID != corpus.ChunkID(document, h, c.Occurrence):
		return fmt.Sprintf("passage %d has another id than its text", c.Index+1)
	}
	return ""
}

// Contents is what there is of a document in a generation, beside what is
// recorded of it.
type Contents struct {
	Generation int64
	Document   corpus.ID
	Made       Made // of which Chunks and Embedded are compared
	Text       bool // the text of this revision is there
	Chunks     int  // passages that are there
	Embedded   int  // of these, those that count as embedded
	Places     int  // different places that passages stand at
	Last       int  // the last of them, from 0; -1: none
}

// Findings are the damages by which the contents differ from the record.
func (c *Contents) Findings() []Finding {
	var list []Finding
	found := func(damage Damage, count int, detail string) {
		list = append(list, Finding{Damage: damage, Generation: c.Generation, Document: c.Document, Count: count, Detail: detail})
	}
	if !c.Text {
		found(TextMissing, 1, "")
	}
	said := c.Made
	switch {
	case c.Chunks < said.Chunks:
		found(PassagesMissing, said.Chunks-c.Chunks, fmt.Sprintf("%d of %d are there", c.Chunks, said.Chunks))
	case c.Chunks > said.Chunks:
		found(PassagesMissing, c.Chunks-said.Chunks, fmt.Sprintf("%d are there, %d were committed", c.Chunks, said.Chunks))
	case c.Places != c.Chunks || c.Last != c.Chunks-1:
		found(PassagesMissing, c.Chunks, "they are not in order")
	case said.Embedded != c.Embedded:
		found(StatisticsWrong, 1, fmt.Sprintf("%d passages count as embedded, %d are", said.Embedded, c.Embedded))
	}
	return list
}
