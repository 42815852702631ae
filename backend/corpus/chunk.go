package corpus

import (
	"strconv"
	"strings"
)

// Chunk is a passage of a document: the unit that is embedded and found.
//
// The own ranges text[Location.Start:Location.End] of a document's chunks
// follow each other without gap from 0 to the end of the text. Content is
// what is shown and searched: Header, then the overlap with the chunk before,
// then the own range; white space at both ends is trimmed.
type Chunk struct {
	ID         ID       `json:"id"`
	Index      int      `json:"index"` // order in the document, from 0
	Hash       Hash     `json:"hash"`
	Occurrence int      `json:"occurrence"` // 0 for the first chunk of this hash in the document
	Title      string   `json:"title,omitempty"`
	Breadcrumb []string `json:"breadcrumb,omitempty"`
	// Header is repeated context that is no part of the own range: a table's
	// header rows, a code fence's first line. It ends in "\n" when present.
	Header   string   `json:"header,omitempty"`
	Content  string   `json:"content"`
	Location Location `json:"location"`
	Tokens   int      `json:"tokens"` // of Input, by the model's tokenizer or its estimate
}

// Input is exactly what is embedded: the content-derived title, the
// breadcrumb and the content. Nothing of it comes from the path, so a moved
// document keeps its vectors.
func (c *Chunk) Input() string {
	var b strings.Builder
	if c.Title != "" {
		b.WriteString(c.Title)
		b.WriteByte('\n')
	}
	if len(c.Breadcrumb) > 0 {
		b.WriteString(strings.Join(c.Breadcrumb, " > "))
		b.WriteByte('\n')
	}
	b.WriteString(c.Content)
	return b.String()
}

// InputHash is the digest of what is embedded.
func (c *Chunk) InputHash() Hash {
	return HashParts(c.Title, strings.Join(c.Breadcrumb, "\x00"), c.Content)
}

// ChunkID derives a chunk's id. Equal passages of one document differ by occurrence.
func ChunkID(document ID, hash Hash, occurrence int) ID {
	return DeriveID(document, string(hash[:]), strconv.Itoa(occurrence))
}

// Identify fills in Index, Hash and Occurrence of a document's chunks, and the
// ids when document is known.
func Identify(document ID, chunks []Chunk) {
	seen := make(map[Hash]int, len(chunks))
	for i := range chunks {
		c := &chunks[i]
		c.Index = i
		c.Hash = c.InputHash()
		c.Occurrence = seen[c.Hash]
		seen[c.Hash]++
		if !document.IsZero() {
			c.ID = ChunkID(document, c.Hash, c.Occurrence)
		}
	}
}

// Space is an embedding space: vectors of two spaces never meet.
type Space struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Format     string `json:"format"` // version of pooling, prefixes and normalisation
}

// String is the space's key, e.g. "builtin/minilm/384/1"; "" for no space (keyword only).
func (s Space) String() string {
	if s == (Space{}) {
		return ""
	}
	return s.Provider + "/" + s.Model + "/" + strconv.Itoa(s.Dimensions) + "/" + s.Format
}
