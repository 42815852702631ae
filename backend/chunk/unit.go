package chunk

import (
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

// splitRegions fills units.
func (d *divider) splitRegions() {
	for i := range d.regions {
		d.splitRegion(i)
	}
	d.units = append(d.units, unit{start: len(d.text), before: d.tokens, level: levelPart, own: levelPart})
}

// splitRegion appends the units of a region.
func (d *divider) splitRegion(i int) {
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
	d.split(i, r.end, marks, most)
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
func (d *divider) split(region, end int, marks []mark, most int) {
	kept := marks[:1]
	for _, m := range marks[1:] {
		if m.level != levelGlue {
			m.own, m.level = m.level, d.grammar.rank(m.level)
		}
		if m.level == levelGlue || m.level >= levelWeak {
			kept = append(kept, m)
		}
	}
	d.units = slices.Grow(d.units, len(kept)+1) // and the end
	d.each(slices.Values(kept), end, most, func(m mark, stop, tokens int) {
		if tokens <= most {
			d.unit(region, m, stop, tokens)
			return
		}
		d.units = slices.Grow(d.units, spaces(d.text[m.pos:stop])+1)
		d.each(inWords(d.text, m, stop), stop, most, func(m mark, stop, tokens int) {
			if tokens <= most {
				d.unit(region, m, stop, tokens)
				return
			}
			d.each(slices.Values(pieces(d.text, m.pos, stop, []mark{m})), stop, most, func(m mark, stop, tokens int) {
				d.unit(region, m, stop, tokens)
			})
		})
	})
}

// each calls f with the measured pieces between marks.
func (d *divider) each(marks iter.Seq[mark], end, most int, f func(m mark, stop, tokens int)) {
	var last mark
	some := false
	piece := func(stop int) { f(last, stop, d.measureTo(d.text[last.pos:stop], most)) }
	for m := range marks {
		if some {
			piece(m.pos)
		}
		last, some = m, true
	}
	if some {
		piece(end)
	}
}

func (d *divider) unit(region int, m mark, stop, tokens int) {
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
}
