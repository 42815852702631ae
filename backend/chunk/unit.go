package chunk

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"ibid/backend/corpus"
)

// unit is the smallest piece of text that stays whole. It ends where the next
// one starts; the last unit is empty and stands at the end of the text.
type unit struct {
	start  int
	before int    // tokens of all units before it
	region int32  // index
	hash   uint32 // of the text that starts here
	level  level
	own    level // what the boundary is, whatever the strategy makes of it
	headed bool  // a chunk that starts here repeats the region's header
}

// boundaryContext is the least number of bytes that a boundary's hash covers:
// a single word or a short line comes too often to tell places apart.
const boundaryContext = 32

// boundaryHash is FNV-1a with a final mix (MurmurHash3), because boundaries
// are compared by the order of their hashes.
func boundaryHash(s string) uint32 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return uint32(h >> 32)
}

// tooManyUnits: more would take more memory than a document may.
func tooManyUnits() error {
	return fmt.Errorf("%w: it has more than %d Mi sentences, lines, or words of long lines; divide it into several files",
		corpus.ErrLimit, corpus.MaxUnits>>20)
}

// splitRegions fills units.
func (d *divider) splitRegions() error {
	for i := range d.regions {
		if err := d.splitRegion(i); err != nil {
			return err
		}
	}
	d.units = append(d.units, unit{start: len(d.text), before: d.tokens, level: levelPart, own: levelPart})
	return nil
}

// splitRegion appends the units of a region.
func (d *divider) splitRegion(i int) error {
	r := &d.regions[i]
	b := r.block
	d.plan(r.section)
	d.repeat(r)
	fixed := d.special + r.section.tokens
	most := d.target - fixed - r.headerTokens - d.overlap
	marks := []mark{{pos: r.start, level: d.grammar.rank(r.level), own: r.level}}
	switch {
	case d.grammar.words && b.Kind != corpus.BlockHeading:
		marks = words(d.text, b.Start, b.End, marks)
	case b.Kind == corpus.BlockHeading:
	case b.Kind == corpus.BlockTable:
		marks = lines(d.text, b.Start, b.End, marks)
		for j := 1; j < len(marks) && marks[j-1].pos < r.body; j++ {
			marks[j].level = levelGlue
		}
	case b.Kind == corpus.BlockCode:
		if d.grammar.fences && d.measureTo(d.text[b.Start:b.End], d.hard-fixed) <= d.hard-fixed {
			most = d.hard
		} else {
			marks = d.code(r, marks)
		}
	default:
		marks = prose(d.text, b.Start, b.End, d.grammar.wrapped, marks)
	}
	return d.split(i, r.end, marks, most)
}

// code marks the lines of a code block; its fences stay with their neighbours.
func (d *divider) code(r *region, marks []mark) []mark {
	first := len(marks)
	marks = lines(d.text, r.block.Start, r.block.End, marks)
	if r.header == "" || len(marks) == first {
		return marks
	}
	marks[first].level = levelGlue
	if last := &marks[len(marks)-1]; fence(d.text[last.pos:r.block.End]) {
		last.level = levelGlue
	}
	return marks
}

// repeat plans what every part of a divided block repeats: as many of its
// first lines as fit into half of the size.
func (d *divider) repeat(r *region) {
	r.header, r.body = header(d.text, r.block)
	for r.header != "" {
		r.headerTokens = d.measureTo(r.header, d.target/2)
		if r.headerTokens <= d.target/2 {
			r.header += "\n"
			return
		}
		r.header = strings.TrimSpace(r.header[:max(0, strings.LastIndexByte(r.header, '\n'))])
	}
	r.headerTokens = 0
}

// split appends the pieces between marks as units. A piece of more than most
// tokens is divided at words, and a word of more than that within itself.
func (d *divider) split(region, end int, marks []mark, most int) error {
	kept := marks[:1]
	for _, m := range marks[1:] {
		if m.level != levelGlue {
			m.own, m.level = m.level, d.grammar.rank(m.level)
		}
		if m.level == levelGlue || m.level >= levelWeak {
			kept = append(kept, m)
		}
	}
	if len(marks) > corpus.MaxUnits || len(d.units)+len(kept) > corpus.MaxUnits {
		return tooManyUnits() // before they are measured
	}
	d.reserve(len(kept))
	unit := func(m mark, stop, tokens int) error { return d.unit(region, m, stop, tokens) }
	return d.each(slices.Values(kept), end, most, func(m mark, stop, tokens int) error {
		if tokens <= most {
			return unit(m, stop, tokens)
		}
		d.reserve(spaces(d.text[m.pos:stop]))
		return d.each(inWords(d.text, m, stop), stop, most, func(m mark, stop, tokens int) error {
			if tokens <= most {
				return unit(m, stop, tokens)
			}
			return d.each(slices.Values(pieces(d.text, m.pos, stop, []mark{m})), stop, most, unit)
		})
	})
}

// reserve makes room for n more units and the end, at most for all there may be:
// growing step by step takes several times as much.
func (d *divider) reserve(n int) {
	d.units = slices.Grow(d.units, min(n, corpus.MaxUnits-len(d.units))+1)
}

// each calls f with the measured pieces between marks until it fails.
func (d *divider) each(marks iter.Seq[mark], end, most int, f func(m mark, stop, tokens int) error) error {
	var last mark
	some := false
	piece := func(stop int) error { return f(last, stop, d.measureTo(d.text[last.pos:stop], most)) }
	for m := range marks {
		if some {
			if err := piece(m.pos); err != nil {
				return err
			}
		}
		last, some = m, true
	}
	if some {
		return piece(end)
	}
	return nil
}

func (d *divider) unit(region int, m mark, stop, tokens int) error {
	if len(d.units) >= corpus.MaxUnits {
		return tooManyUnits()
	}
	r := &d.regions[region]
	content := len(strings.TrimRightFunc(d.text[m.pos:stop], unicode.IsSpace))
	d.units = append(d.units, unit{
		start:  m.pos,
		before: d.tokens,
		level:  m.level,
		own:    max(m.own, m.level),
		headed: r.header != "" && m.pos >= r.body,
		hash:   boundaryHash(d.text[m.pos:min(len(d.text), m.pos+max(content, boundaryContext))]),
		region: int32(region),
	})
	d.tokens += tokens
	return nil
}
