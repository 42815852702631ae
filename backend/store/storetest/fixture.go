package storetest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// dimensions of the suite's vectors.
const dimensions = 24

// space is the suite's embedding space.
var space = corpus.Space{Provider: "test", Model: "random", Dimensions: dimensions, Format: "1"}

// vector returns a unit vector that depends on the text only.
func vector(text string) []float32 {
	h := corpus.HashParts(text)
	r := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16])))
	v := make([]float32, dimensions)
	var sum float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// vectors returns the vectors of a change's passages.
func vectors(changes ...store.Change) map[corpus.Hash][]float32 {
	m := map[corpus.Hash][]float32{}
	for _, c := range changes {
		for _, e := range c.Entries {
			m[e.Chunk.Hash] = vector(e.Chunk.Input())
		}
	}
	return m
}

// source is the one that the suite's documents come from unless they say otherwise.
var source = corpus.Source{
	ID:        corpus.DeriveID(corpus.NoID, "source"),
	Kind:      corpus.SourceFolder,
	Name:      "Papers",
	Root:      "/home/ada/papers",
	Policy:    corpus.PolicyAsk,
	CreatedAt: epoch,
}

// change makes a change that adds the document at path, one passage a
// paragraph. The analyzer of the suite: lower-case words in the first field,
// "_" an unindexed position, the first three letters in the second.
func change(generation int64, path string, paragraphs ...string) store.Change {
	id := corpus.DeriveID(source.ID, path)
	text := strings.Join(paragraphs, "\n\n")
	c := store.Change{
		Generation: generation,
		Text:       text,
		Document: corpus.Document{
			ID:          id,
			Source:      source.ID,
			Path:        path,
			Content:     corpus.HashBytes([]byte(text)),
			Fingerprint: corpus.Fingerprint{Size: int64(len(text)), ModTime: epoch.UnixNano(), ChangeTime: 1, HashedAt: 2, Inode: 1 << 63, Device: 4},
			Type:        "text/plain",
			Title:       "Title of " + path,
			Language:    "en",
			State:       corpus.DocumentIndexed,
			Recipe:      "recipe/1",
			IndexedAt:   epoch,
		},
	}
	chunks := make([]corpus.Chunk, len(paragraphs))
	at := 0
	for i, p := range paragraphs {
		end := min(at+len(p)+2, len(text))
		chunks[i] = corpus.Chunk{
			Content:  p,
			Location: corpus.Location{Start: at, End: end, Anchor: corpus.Anchor{LineStart: i + 1, LineEnd: i + 1, Headings: []string{"Part", path}}},
			Tokens:   len(strings.Fields(p)),
		}
		at = end
	}
	corpus.Identify(id, chunks)
	for _, chunk := range chunks {
		c.Entries = append(c.Entries, entry(chunk))
	}
	return c
}

func entry(c corpus.Chunk) store.Entry {
	e := store.Entry{Chunk: c, Terms: []byte("terms of " + c.Content)}
	for word := range strings.FieldsSeq(strings.ToLower(c.Content)) {
		if word == "_" {
			e.Whole = append(e.Whole, "")
			continue
		}
		e.Whole = append(e.Whole, word)
		e.Parts = append(e.Parts, stem(word))
		e.Length++
	}
	return e
}

func stem(word string) string {
	letters := []rune(word)
	return string(letters[:min(3, len(letters))])
}

// from makes the change one of the stored revision.
func from(revision int64, c store.Change) store.Change {
	c.From = revision
	return c
}

// with changes the change's record.
func with(c store.Change, edit func(d *corpus.Document)) store.Change {
	edit(&c.Document)
	return c
}

// strict makes the change strict.
func strict(c store.Change) store.Change {
	c.Strict = true
	return c
}

// contents returns the passages' texts.
func contents(chunks []corpus.Chunk) []string {
	list := make([]string, len(chunks))
	for i, c := range chunks {
		list[i] = c.Content
	}
	return list
}
