// Package hash embeds text by feature hashing: every word and every three
// neighbouring letters of a word add or subtract a weight at a place given by
// a hash (Weinberger et al., Feature Hashing for Large Scale Multitask
// Learning, 2009). Texts that share words or parts of words are near; meaning
// beyond spelling is unknown to it.
//
// It needs no files, gives the same vectors on every machine and embeds some
// ten thousand passages a second: for tests and large benchmarks.
package hash

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"unicode"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

const (
	// Provider is the provider's name in corpus.Space.
	Provider = "hash"
	// Dimensions is the default number of dimensions.
	Dimensions = 384
	// MaxDimensions is the largest number that New takes.
	MaxDimensions = 65_536

	limit = 256
	// format changes with anything below that changes vectors.
	format = "1"
)

// New returns an embedder of dim dimensions; 0 means Dimensions. A number below
// zero or above MaxDimensions is an error that wraps corpus.ErrInvalid.
func New(dim int) (embed.Embedder, error) {
	if dim == 0 {
		dim = Dimensions
	}
	if dim < 0 || dim > MaxDimensions {
		return nil, fmt.Errorf("open hash embedder: %w: %d dimensions, want 1 to %d", corpus.ErrInvalid, dim, MaxDimensions)
	}
	return &embedder{dim: dim}, nil
}

type embedder struct {
	dim    int
	closed atomic.Bool
}

var _ embed.Embedder = (*embedder)(nil)

func (e *embedder) Space() corpus.Space {
	return corpus.Space{Provider: Provider, Model: "words", Dimensions: e.dim, Format: format}
}

func (*embedder) Limit() int { return limit }

// Count returns 1 for each started eight letters or digits of a word, for each
// letter of East Asian scripts (from U+2E80 up) and for each other character
// that is not white space.
func (*embedder) Count(text string) int {
	n, word := 0, 0
	for _, r := range text {
		switch classify(r) {
		case letter:
			if word%8 == 0 {
				n++
			}
			word++
			continue
		case single, other:
			n++
		}
		word = 0
	}
	return n
}

func (e *embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := e.ready(ctx); err != nil {
		return nil, err
	}
	return e.vector(e.cut(text)), nil
}

func (e *embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := e.ready(ctx); err != nil {
			return nil, err
		}
		if n := e.Count(text); n > limit {
			return nil, fmt.Errorf("embed documents: %w: text %d of %d has %d tokens, the model takes %d",
				corpus.ErrLimit, i+1, len(texts), n, limit)
		}
		vectors[i] = e.vector(text)
	}
	return vectors, nil
}

func (e *embedder) ready(ctx context.Context) error {
	if e.closed.Load() {
		return embed.ErrClosed
	}
	return ctx.Err()
}

func (e *embedder) Close() error {
	e.closed.Store(true)
	return nil
}

type class int

const (
	space  class = iota
	letter       // part of a word
	single       // a letter that is a word by itself
	other        // punctuation, symbols, marks
)

func classify(r rune) class {
	switch {
	case r < 0x80:
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return letter
		case r <= ' ':
			return space
		}
		return other
	case unicode.IsSpace(r):
		return space
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		if r >= 0x2e80 {
			return single
		}
		return letter
	}
	return other
}

// cut returns the longest beginning of text that is within the limit.
func (e *embedder) cut(text string) string {
	if len(text) <= limit || e.Count(text) <= limit {
		return text
	}
	// Count grows with the text, so a binary search over its bytes will do; a
	// character cut in two counts one like any other.
	low, high := limit, len(text)
	for low < high {
		if mid := (low + high + 1) / 2; e.Count(text[:mid]) <= limit {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return text[:low]
}

// Weights: trigrams blur, so that inflected forms are near; words decide.
const (
	wordWeight    = 1
	trigramWeight = 0.4
	otherWeight   = 0.1
)

// vector adds up the features of text. Roots damp what is repeated, as a tenth
// "the" says little more than the first.
func (e *embedder) vector(text string) []float32 {
	v := make([]float32, e.dim)
	var word uint64 // hash of the word so far
	var length int  // of the word so far
	var a, b uint64 // the two letters before, 0 at a word's start
	end := func() {
		if length > 0 {
			e.add(v, word, wordWeight*float32(min(length, 6))/6)
			e.add(v, trigram(a, b, 0), trigramWeight)
		}
		word, length, a, b = 0, 0, 0, 0
	}
	for _, r := range text {
		c := classify(r)
		if c != letter {
			end()
			switch c {
			case single:
				e.add(v, mix(uint64(r)), wordWeight)
			case other:
				e.add(v, mix(uint64(r)), otherWeight)
			}
			continue
		}
		if r < 0x80 {
			r |= 0x20 // lower case; digits have the bit already
		} else {
			r = unicode.ToLower(r)
		}
		word = mix(word ^ uint64(r))
		length++
		if length > 1 {
			e.add(v, trigram(a, b, uint64(r)), trigramWeight)
		}
		a, b = b, uint64(r)
	}
	end()

	for i, x := range v {
		v[i] = float32(math.Copysign(math.Sqrt(math.Abs(float64(x))), float64(x)))
	}
	if !embed.Normalize(v) { // blank text, or features that cancel out
		v[0] = 1
	}
	return v
}

// add puts weight at the feature's place, with the feature's sign.
func (e *embedder) add(v []float32, feature uint64, weight float32) {
	if feature&1 == 1 {
		weight = -weight
	}
	// The high half times dim, divided by 2^32, is a fair place without division.
	v[(feature>>32)*uint64(len(v))>>32] += weight
}

func trigram(a, b, c uint64) uint64 { return mix(a<<42 | b<<21 | c | 1<<63) }

// mix is the finaliser of SplitMix64 (Steele et al., 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
