package chunk

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// section is a stretch of text under the same headings.
type section struct {
	path []string // the headings above, outermost first

	planned bool     // crumb and tokens are known
	crumb   []string // what of path goes into the chunks
	tokens  int      // of title and crumb
}

// region is a block, or text outside of all blocks, with the gap after it.
type region struct {
	start   int // the first region begins with the gap before it
	end     int
	block   *corpus.Block
	section *section
	level   level // of the boundary before it
	lead    bool  // a question, a clause's title: see lead
	made    bool  // a heading that no block of the document is

	header       string // repeated with parts that begin in the body
	headerTokens int
	body         int // where the body begins; end if nothing is repeated
}

// validate reports blocks that are not ordered ranges of a valid text.
func validate(doc *corpus.Extraction) error {
	if !utf8.ValidString(doc.Text) {
		return fmt.Errorf("%w: text is not UTF-8", corpus.ErrInvalid)
	}
	boundary := func(pos int) bool { return pos == len(doc.Text) || utf8.RuneStart(doc.Text[pos]) }
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End < b.Start || b.End > len(doc.Text) || !boundary(b.Start) || !boundary(b.End) {
			return fmt.Errorf("%w: block %d [%d:%d] after byte %d of %d",
				corpus.ErrInvalid, i, b.Start, b.End, end, len(doc.Text))
		}
		if b.Header < 0 || b.Header > b.End-b.Start || !boundary(b.Start+b.Header) {
			return fmt.Errorf("%w: block %d has a header of %d bytes", corpus.ErrInvalid, i, b.Header)
		}
		end = b.End
	}
	return nil
}

// regions covers a text that has a word, without gap, with the outline that its
// headings and its leads give it; find may be nil.
func regions(doc *corpus.Extraction, find lead) ([]region, error) {
	out := cover(doc)
	if find != nil {
		var err error
		if out, err = entitle(doc.Text, out, find); err != nil {
			return nil, err
		}
	}
	outline(out)
	return out, nil
}

// cover makes the regions of a text that has a word.
func cover(doc *corpus.Extraction) []region {
	var out []region
	end := 0
	add := func(b *corpus.Block) {
		r := region{block: b}
		if len(out) > 0 {
			r.start = b.Start
			out[len(out)-1].end = b.Start
		}
		out = append(out, r)
	}
	gap := func(to int) {
		if text := doc.Text[end:to]; hasWord(text) {
			add(&corpus.Block{Kind: corpus.BlockParagraph, Start: end + leadingSpace(text), End: to})
		}
	}
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if leadingSpace(doc.Text[b.Start:b.End]) == b.End-b.Start {
			continue
		}
		gap(b.Start)
		add(b)
		end = b.End
	}
	gap(len(doc.Text))
	out[len(out)-1].end = len(doc.Text)
	return out
}

// outline gives each region its section and the strength of its beginning.
func outline(regions []region) {
	type heading struct {
		level level
		title string
	}
	var stack []heading // levels fall: six at most
	current := &section{}
	led := ""   // the title of the lead above that is no block
	asked := "" // the title of the heading above that is a lead
	// Extractors that tell any headings tell all: one without stands under none.
	told := slices.ContainsFunc(regions, func(r region) bool { return len(r.block.Anchor.Headings) > 0 })
	for i := range regions {
		r := &regions[i]
		b := r.block
		r.level = levelBlock
		if b.Kind == corpus.BlockHeading {
			r.level = headingLevel(b.Level)
			for !r.made && len(stack) > 0 && stack[len(stack)-1].level <= r.level {
				stack = stack[:len(stack)-1]
			}
		}
		path := b.Anchor.Headings
		if !told {
			path = make([]string, 0, len(stack)+1)
			for _, h := range stack {
				if h.title != "" {
					path = append(path, h.title)
				}
			}
		}
		if b.Kind == corpus.BlockHeading {
			led = ""
		}
		if n := len(path); (r.made || led != "") && asked != "" && n > 0 && oneLine(path[n-1]) == asked {
			path = path[:n-1] // one question does not stand under another
		}
		if led != "" {
			path = append(slices.Clip(path), led)
		}
		after := i > 0 && regions[i-1].block.Kind == corpus.BlockHeading
		if !slices.Equal(path, current.path) {
			current = &section{path: path}
		}
		r.section = current
		own := r.level
		if after && own < regions[i-1].level {
			r.level = levelGlue
		}
		if i > 0 {
			if a := regions[i-1].block.Anchor; a.Sheet != b.Anchor.Sheet || a.Slide != b.Anchor.Slide {
				r.level = levelPart
			}
		}
		switch {
		case r.made:
			led = oneLine(b.Title)
		case b.Kind == corpus.BlockHeading:
			stack = append(stack, heading{own, oneLine(b.Title)})
			asked = ""
			if r.lead {
				asked = oneLine(b.Title)
			}
		}
	}
}

// header returns what every part of a divided block repeats, and where the
// rest begins: a table's header rows, a fence's line with the info string.
func header(text string, b *corpus.Block) (string, int) {
	switch b.Kind {
	case corpus.BlockTable:
		return strings.TrimSpace(text[b.Start : b.Start+b.Header]), b.Start + b.Header
	case corpus.BlockCode:
		first, _, _ := strings.Cut(text[b.Start:b.End], "\n")
		if fence(first) {
			return strings.TrimSpace(first), b.Start + len(first)
		}
	}
	return "", b.Start
}

// fence reports whether line opens or closes fenced code.
func fence(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}
