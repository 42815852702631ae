package plan

import (
	"encoding/json"
	"strconv"

	"ibid/backend/corpus"
)

// Passages is the chunk plan of one document.
type Passages struct {
	Added     []*corpus.Chunk // fresh ones; in order, as are the next two
	Relocated []*corpus.Chunk // fresh ones: text as before, another location
	Kept      []*corpus.Chunk // fresh ones: as before
	Removed   []*corpus.Chunk // stored ones, in order
}

// Chunks compares a document's stored passages with fresh ones. The key is the
// hash of what is embedded with its occurrence: repeated passages keep their
// own locations, and an insertion moves the passages below it without making
// them new. Both lists must be identified; two passages with one hash and
// occurrence are a *DuplicateError.
func Chunks(stored, fresh []corpus.Chunk) (Passages, error) {
	existing := make(map[string]string, len(stored))
	byKey := make(map[string]*corpus.Chunk, len(stored))
	for i := range stored {
		key := chunkKey(&stored[i])
		if twin, twice := byKey[key]; twice {
			return Passages{}, &DuplicateError{Key: readable(twin), First: twin.Index, Second: i}
		}
		byKey[key] = &stored[i]
		existing[key] = placement(&stored[i])
	}
	incoming := make([]*corpus.Chunk, len(fresh))
	for i := range fresh {
		incoming[i] = &fresh[i]
	}
	d, err := Plan(incoming, chunkKey, placement, existing)
	if err != nil {
		return Passages{}, err
	}
	p := Passages{Added: d.Added, Relocated: d.Updated, Kept: d.Unchanged}
	gone := make(map[string]bool, len(d.Removed))
	for _, key := range d.Removed {
		gone[key] = true
	}
	for i := range stored {
		if gone[chunkKey(&stored[i])] {
			p.Removed = append(p.Removed, &stored[i])
		}
	}
	return p, nil
}

func chunkKey(c *corpus.Chunk) string {
	return string(c.Hash[:]) + strconv.Itoa(c.Occurrence)
}

func readable(c *corpus.Chunk) string {
	return c.Hash.String() + "/" + strconv.Itoa(c.Occurrence)
}

// placement is what of a passage may change while its text stays.
func placement(c *corpus.Chunk) string {
	b, err := json.Marshal(struct {
		Index    int
		Header   string
		Location corpus.Location
	}{c.Index, c.Header, c.Location})
	if err != nil {
		panic("plan: a location cannot be marshalled: " + err.Error()) // it has numbers and texts only
	}
	return string(b)
}

// Inputs returns the fresh passages that need a vector, one a hash, in order:
// those whose hash has none according to have. Passages that are kept may be
// among them, if their vectors never came.
func Inputs(fresh []corpus.Chunk, have func(corpus.Hash) bool) []*corpus.Chunk {
	var need []*corpus.Chunk
	asked := make(map[corpus.Hash]bool, len(fresh))
	for i := range fresh {
		h := fresh[i].Hash
		if !asked[h] && !have(h) {
			need = append(need, &fresh[i])
		}
		asked[h] = true
	}
	return need
}

// Counts counts the passages by fate; need are those of Inputs.
func (p Passages) Counts(need []*corpus.Chunk) Counts {
	c := Counts{
		Total:    len(p.Added) + len(p.Relocated) + len(p.Kept),
		Relocate: len(p.Relocated), Remove: len(p.Removed), Embed: len(need), Exact: true,
	}
	for _, n := range need {
		c.Tokens += n.Tokens
	}
	c.Reuse = c.Total - c.Embed
	return c
}
