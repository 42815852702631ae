package chunk

import (
	"fmt"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// bytesPerToken is how many bytes one token may stand for at most. Tokenizers
// take a long run without spaces (base64, minified code) as one unknown token;
// counted so, a chunk could become as large as the document.
const bytesPerToken = 16

// budget holds the sizes of one division, in tokens of an input, or in
// characters where size counts these.
type budget struct {
	count   func(string) int // tokens, for the limit
	size    func(string) int
	special int // what size adds to every text
	target  int // largest planned input
	limit   int // largest input at all, in tokens; 0 is none
	hard    int // largest input for what should stay whole
	overlap int
}

func newBudget(opt Options, characters bool) (budget, error) {
	switch {
	case opt.Count == nil:
		return budget{}, fmt.Errorf("%w: chunk options without a token counter", corpus.ErrInvalid)
	case opt.Target <= 0:
		return budget{}, fmt.Errorf("%w: chunk size %d is not positive", corpus.ErrInvalid, opt.Target)
	case opt.Limit < 0:
		return budget{}, fmt.Errorf("%w: input limit %d is negative", corpus.ErrInvalid, opt.Limit)
	case opt.Overlap < 0:
		return budget{}, fmt.Errorf("%w: overlap %d is negative", corpus.ErrInvalid, opt.Overlap)
	}
	b := budget{
		count:   opt.Count,
		size:    opt.Count,
		target:  opt.Target,
		limit:   opt.Limit,
		hard:    opt.Limit,
		overlap: opt.Overlap,
	}
	if b.overlap >= b.target {
		b.overlap = 0
	}
	if characters {
		b.size = utf8.RuneCountInString
	}
	b.special = max(0, b.size(""))
	if b.limit == 0 || characters {
		b.hard = 2 * b.target
	} else if b.limit < b.target {
		b.overlap = b.overlap * b.limit / b.target
		b.target = b.limit
	}
	if special := max(0, b.count("")); b.limit > 0 && special >= b.limit {
		return budget{}, fmt.Errorf("%w: the input limit %d leaves no room beside %d special tokens",
			corpus.ErrInvalid, b.limit, special)
	}
	if b.special >= b.target {
		return budget{}, fmt.Errorf("%w: chunk size %d leaves no room beside %d special tokens",
			corpus.ErrInvalid, b.target, b.special)
	}
	return b, nil
}

// measure returns what text adds to an input, at least 1. Sums of it bound
// the size of the joined text from above for tokenizers that part at white
// space, and nearly for others; chunks are verified when they are made.
func (b *budget) measure(text string) int {
	return max(1, b.floor(text), b.size(text)-b.special)
}

// measureTo is measure for a text that is of no use above most tokens: such a
// text is not counted when its length alone tells.
func (b *budget) measureTo(text string, most int) int {
	if n := b.floor(text); n > most {
		return n
	}
	return b.measure(text)
}

func (b *budget) floor(text string) int {
	return (len(text) + bytesPerToken - 1) / bytesPerToken
}

// fits reports whether an input of n tokens may be embedded.
func (b *budget) fits(n int) bool { return b.limit == 0 || n <= b.limit }
