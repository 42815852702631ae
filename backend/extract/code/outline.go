package code

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Sizes in bytes: a unit longer than maxUnit is divided into what it holds, and
// short statements gather in blocks of minBlock.
const (
	maxUnit  = 3000
	minBlock = 1000
	maxPath  = 8 // units within units
)

// line is a line of a text with what its look tells. A text may have millions.
type line struct {
	start, end int32 // its "\n" included
	indent     int32 // columns; -1 for a blank line
	joins      bool
	leads      bool
}

// Outline divides a text by its indentation, which in nearly all code says the
// same as braces and keywords do: a unit is a line with the deeper lines below
// it. Comments and annotations right above belong to it; lines that close or
// continue a construct do, too. The blocks of a unit that was divided carry its
// first line as a heading. No line is lost.
func Outline(text string) []corpus.Block { return outline(text, false) }

// Sections is Outline of a format like TOML, where what follows a line "[name]"
// is below it whatever its indentation.
func Sections(text string) []corpus.Block { return outline(text, true) }

func outline(text string, sections bool) []corpus.Block {
	o := outliner{text: text}
	o.lines = make([]line, 0, strings.Count(text, "\n")+1)
	within := int32(0) // columns that a section adds
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		l := look(text, pos, end)
		switch {
		case !sections || l.indent < 0:
		case l.indent == 0 && text[pos] == '[':
			within = tabWidth
		default:
			l.indent += within
		}
		o.lines = append(o.lines, l)
		pos = end
	}
	o.divide(0, len(o.lines), nil)
	return o.blocks
}

type outliner struct {
	text   string
	lines  []line
	blocks []corpus.Block
}

// tabWidth is how many columns a tab counts for.
const tabWidth = 4

func look(text string, start, end int) line {
	l := line{start: int32(start), end: int32(end), indent: -1}
	columns := int32(0)
	for i, c := range text[start:end] {
		switch {
		case c == '\t':
			columns += tabWidth
		case unicode.IsSpace(c):
			columns++
		default:
			rest := strings.TrimSpace(text[start+i : end])
			l.indent, l.joins, l.leads = columns, joins(rest), leads(rest)
			return l
		}
	}
	return l
}

// joins reports a line that closes or continues what is above.
func joins(s string) bool {
	if strings.IndexByte("})]{", s[0]) >= 0 || strings.HasPrefix(s, "</") {
		return true
	}
	word := s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsLetter))]
	return continues[word]
}

var continues = map[string]bool{
	"else": true, "elif": true, "elsif": true, "except": true, "catch": true, "finally": true, "rescue": true,
	"ensure": true, "then": true, "do": true, "end": true, "fi": true, "done": true, "esac": true, "where": true,
}

// leads reports a comment or an annotation, which belongs to what is below.
func leads(s string) bool {
	for _, prefix := range []string{"//", "/*", "*", "# ", "#!", "--", ";", "%", "@", "#[", `"""`, "'''"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return s == "#"
}

// divide appends the blocks of lines[from:to], which stand in the units of path.
func (o *outliner) divide(from, to int, path []string) {
	base := o.base(from, to)
	start, named := from, "" // of the block being gathered
	flush := func(end int) {
		if start < end {
			o.add(start, end, path, named)
		}
		start, named = end, ""
	}
	for i := from; i < to; {
		end := o.unit(i, to, base)
		head := o.head(i, end, base)
		size := o.lines[end-1].end - o.lines[i].start
		switch {
		case head < 0: // statements without anything below them
			if named != "" || o.lines[end-1].end-o.lines[start].start > maxUnit {
				flush(i)
			}
			if o.lines[end-1].end-o.lines[start].start >= minBlock {
				flush(end)
			}
		case size > maxUnit && len(path) < maxPath && o.base(head+1, end) > base:
			flush(i)
			body := head + 1
			start, named = i, o.title(head)
			flush(body)
			o.divide(body, end, slices.Concat(path, []string{o.title(head)}))
			start = end
		default:
			flush(i)
			named = o.title(head)
			flush(end)
		}
		i = end
	}
	flush(to)
}

// base is the smallest indentation of lines that begin something; -1 if there
// are none.
func (o *outliner) base(from, to int) int32 {
	base := int32(-1)
	for _, l := range o.lines[from:to] {
		if l.indent >= 0 && !l.joins && (base < 0 || l.indent < base) {
			base = l.indent
		}
	}
	return base
}

// unit returns where the unit ends that begins with line i: comments and
// annotations, a line, and what is deeper or joins it. Blank lines go with what
// is above them.
func (o *outliner) unit(i, to int, base int32) int {
	led := false // the line that is led to has come
	for j := i; j < to; j++ {
		l := o.lines[j]
		switch {
		case l.indent < 0:
			led = led || j > i // a comment for itself
		case l.leads && !led:
		case l.indent > base || l.joins:
			led = true
		case led:
			return j
		default:
			led = true
		}
	}
	return to
}

// head returns the line that names a unit: the first that is not led to, if
// deeper lines follow; else -1.
func (o *outliner) head(i, end int, base int32) int {
	for j := i; j < end; j++ {
		if l := o.lines[j]; l.indent >= 0 && !l.leads && !l.joins {
			for _, below := range o.lines[j+1 : end] {
				if below.indent > base {
					return j
				}
			}
			return -1
		}
	}
	return -1
}

// maxTitle bounds the name of a unit in bytes.
const maxTitle = 80

// title is a unit's first line without what only opens it.
func (o *outliner) title(i int) string {
	s := strings.Join(strings.Fields(o.text[o.lines[i].start:o.lines[i].end]), " ")
	s = strings.TrimRight(s, " {([:=,|>")
	if s = strings.TrimPrefix(s, "- "); strings.HasPrefix(s, `"`) {
		s = strings.Trim(s, `"`) // a key of JSON
	}
	if len(s) > maxTitle {
		cut := maxTitle
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimSpace(s[:cut]) + "…"
	}
	return s
}

// add appends a block. Beyond what a document may have, which extract.Ranges
// refuses, blocks would only take memory: the last one takes the rest.
func (o *outliner) add(from, to int, path []string, named string) {
	if n := len(o.blocks); n > extract.MaxBlocks {
		o.blocks[n-1].End = int(o.lines[to-1].end)
		return
	}
	b := corpus.Block{Kind: corpus.BlockCode, Start: int(o.lines[from].start), End: int(o.lines[to-1].end)}
	b.Anchor.Headings = path
	if named != "" {
		b.Anchor.Headings = slices.Concat(path, []string{named})
	}
	o.blocks = append(o.blocks, b)
}
