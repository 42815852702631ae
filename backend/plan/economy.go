package plan

import (
	"math"
	"path"
	"strings"

	"ibid/backend/corpus"
)

// Economy is what a plan's costs and estimates are computed with.
type Economy struct {
	// ChunkTokens is the size of an ordinary passage in tokens; 0 means
	// DefaultChunkTokens.
	ChunkTokens int
	// TokensPerSecond and DocumentsPerSecond are measured on this machine by
	// earlier runs: embedding, and reading with indexing. 0: not known.
	TokensPerSecond    float64
	DocumentsPerSecond float64
	// Guessed tells that one of them is a first guess: no run has measured it.
	Guessed bool
	Price   Price
}

// Defaults of estimates. English and Markdown have about four bytes a token;
// a quarter of a passage is overlap, breadcrumb and room to the next boundary.
const (
	DefaultChunkTokens = 200
	bytesPerToken      = 3
	// enoughChunks is how many stored passages make a measured ratio better
	// than the default.
	enoughChunks = 20
)

// Summary counts the documents by action and the passages by fate.
type Summary struct {
	Added       int
	Updated     int
	Moved       int
	Removed     int
	Unchanged   int
	Repair      int
	Failed      int
	Unsupported int
	Busy        int
	Unavailable int

	ChunksToEmbed   int
	ChunksWaiting   int // of those to embed: of documents that are unchanged
	ChunksReused    int
	ChunksRelocated int
	ChunksRemoved   int
	ChunksExact     bool // else chunk counts, tokens, cost and seconds are estimates

	Tokens  int // to embed
	Cost    Cost
	Seconds float64 // from measured throughput; 0: not known
	Guessed bool    // Seconds: nothing was measured yet
}

// count returns the field of a kind.
func (s *Summary) count(k Kind) *int {
	switch k {
	case Added:
		return &s.Added
	case Updated:
		return &s.Updated
	case Moved:
		return &s.Moved
	case Repair:
		return &s.Repair
	case Removed:
		return &s.Removed
	case Unchanged:
		return &s.Unchanged
	case Failed:
		return &s.Failed
	case Unsupported:
		return &s.Unsupported
	case Busy:
		return &s.Busy
	case Unavailable:
		return &s.Unavailable
	}
	return nil
}

// Total computes Summary from the actions; to be called after their counts
// were changed.
func (p *Reindex) Total() {
	s := Summary{ChunksExact: true}
	documents := 0
	for i := range p.Actions {
		a := &p.Actions[i]
		*s.count(a.Kind)++
		if a.Kind.IsWork() {
			documents++
		}
		s.ChunksToEmbed += a.Chunks.Embed
		if a.Kind == Unchanged {
			s.ChunksWaiting += a.Chunks.Embed
		}
		s.ChunksReused += a.Chunks.Reuse
		s.ChunksRelocated += a.Chunks.Relocate
		s.ChunksRemoved += a.Chunks.Remove
		s.Tokens += a.Chunks.Tokens
		s.ChunksExact = s.ChunksExact && (a.Chunks.Exact || a.Chunks == Counts{})
	}
	s.Cost = p.Economy.Price.Of(s.Tokens)
	s.Seconds = p.Economy.seconds(documents, s.Tokens)
	s.Guessed = p.Economy.Guessed && s.Seconds > 0
	p.Summary = s
}

// seconds is 0 where a rate that is needed is not known.
func (e Economy) seconds(documents, tokens int) float64 {
	if documents > 0 && e.DocumentsPerSecond <= 0 || tokens > 0 && e.TokensPerSecond <= 0 {
		return 0
	}
	t := 0.0
	if documents > 0 {
		t += float64(documents) / e.DocumentsPerSecond
	}
	if tokens > 0 {
		t += float64(tokens) / e.TokensPerSecond
	}
	return t
}

// estimator guesses the passages of files that were not extracted: from the
// ratio of bytes to passages of stored documents with the same extension, or
// of bytes of text to passages of all, or from the passage size.
type estimator struct {
	keywordOnly bool
	build       bool
	chunkTokens int
	ratio       map[string]float64 // bytes a passage, by extension; "*" of text, for all
	texts       map[corpus.Hash]int
}

func newEstimator(in Input) *estimator {
	e := &estimator{
		keywordOnly: in.Wanted.Space == corpus.Space{},
		build:       in.HasLive && in.Live != in.Wanted,
		chunkTokens: in.Economy.ChunkTokens,
		ratio:       make(map[string]float64),
		texts:       make(map[corpus.Hash]int),
	}
	if e.chunkTokens <= 0 {
		e.chunkTokens = DefaultChunkTokens
	}
	type sum struct{ bytes, chunks int64 }
	sums := make(map[string]sum)
	for i := range in.Known {
		k := &in.Known[i]
		if k.State != corpus.DocumentIndexed || k.Chunks == 0 {
			continue
		}
		for _, key := range []string{"*", extension(k.Path)} {
			size := k.Fingerprint.Size
			if key == "*" {
				size = textSize(k.Path, size)
			}
			s := sums[key]
			sums[key] = sum{s.bytes + size, s.chunks + int64(k.Chunks)}
		}
		if k.Made != nil && k.Made.Embedded == k.Made.Chunks {
			e.texts[k.Content] = k.Made.Chunks
		}
	}
	for key, s := range sums {
		if s.chunks >= enoughChunks && s.bytes > 0 {
			e.ratio[key] = float64(s.bytes) / float64(s.chunks)
		}
	}
	return e
}

func extension(p string) string { return strings.ToLower(path.Ext(p)) }

// whole estimates a file that is to be read. A copy of content that is in the
// library, or that comes in earlier in this plan, embeds nothing.
func (e *estimator) whole(s *sighting) Counts {
	n, copied := e.texts[s.content()]
	if !copied {
		n = e.passages(s.Path, s.Fingerprint.Size)
		e.texts[s.content()] = n
	}
	if copied {
		return e.stored(n, n).estimated()
	}
	return e.stored(n, 0).estimated()
}

// passages estimates how many a file of that size has.
func (e *estimator) passages(path string, size int64) int {
	if size <= 0 {
		return 0
	}
	ratio, ok := e.ratio[extension(path)]
	if !ok {
		size = textSize(path, size)
		ratio, ok = e.ratio["*"]
	}
	if !ok {
		ratio = float64(e.chunkTokens * bytesPerToken)
	}
	return int(math.Ceil(float64(size) / ratio))
}

// textSize is about how many bytes of text a file of that size has. What is no
// plain text is mostly pictures, fonts and markup, or compressed; the shares
// are those of ordinary office documents, until the library has its own ratio
// for the type.
func textSize(path string, size int64) int64 {
	percent := int64(100)
	switch extension(path) {
	case ".pptx", ".pptm", ".odp":
		percent = 2
	case ".pdf":
		percent = 5
	case ".docx", ".docm", ".odt", ".html", ".htm", ".xhtml", ".mhtml", ".mht":
		percent = 15
	case ".eml", ".mbox":
		percent = 20
	case ".xlsx", ".xlsm", ".ods", ".rtf", ".ipynb":
		percent = 30
	case ".epub":
		percent = 40
	}
	return max(size*percent/100, min(size, 1))
}

// again is the most that making a stored document anew can need.
func (e *estimator) again(k *Known) Counts {
	n := k.Chunks
	if k.Made != nil {
		n = max(n, k.Made.Chunks)
	}
	c := e.stored(n, 0).estimated()
	if !e.build {
		c.Remove = k.Chunks
	}
	return c
}

// stored are the counts of passages of which some have vectors.
func (e *estimator) stored(chunks, embedded int) Counts {
	if e.keywordOnly {
		return Counts{Total: chunks, Exact: true}
	}
	missing := max(0, chunks-embedded)
	return Counts{
		Total: chunks, Embed: missing, Reuse: chunks - missing,
		Tokens: missing * e.chunkTokens, Exact: missing == 0,
	}
}

func (c Counts) estimated() Counts {
	c.Exact = false
	return c
}
