package chunk

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// divider divides one document.
type divider struct {
	budget
	text       string
	grammar    grammar
	breadcrumb bool

	heading     string // the document's title
	title       string // what of it fits into the chunks
	titleTokens int

	regions []region
	units   []unit
	tokens  int // of all units

	chunks  []corpus.Chunk
	ends    []Ending // of the chunks
	locator locator
	output  int // characters that may still be written
}

// minOutput and outputFactor bound the characters of all inputs of a document,
// so that repeated headings and headers cannot multiply it.
const (
	minOutput    = 65536
	outputFactor = 32
)

// expectedUnit is the size of a unit in bytes to reserve memory by.
const expectedUnit = 64

func newDivider(doc *corpus.Extraction, g grammar, b budget, breadcrumb bool) (*divider, error) {
	parts, err := regions(doc, g.lead)
	if err != nil {
		return nil, err
	}
	d := &divider{
		budget:     b,
		text:       doc.Text,
		grammar:    g,
		breadcrumb: breadcrumb,
		heading:    oneLine(doc.Title),
		regions:    parts,
		locator:    locator{doc: doc, chunk: lineCounter{text: doc.Text}, block: lineCounter{text: doc.Text}},
		units:      make([]unit, 0, min(len(doc.Text)/expectedUnit, corpus.MaxUnits)),
		output:     max(minOutput, outputFactor*utf8.RuneCountInString(doc.Text)),
	}
	if d.title = d.shorten(d.heading, d.target/4); d.title != "" {
		d.titleTokens = d.measure(d.title) + 1 // the line end
	}
	return d, nil
}

func (d *divider) divide() error {
	if d.grammar.alone {
		partAtLeads(d.regions)
	}
	whole := d.grammar.whole(d.target, d.hard)
	parts := slices.ContainsFunc(d.regions, func(r region) bool { return r.level == levelPart })
	if !parts && d.floor(d.text) <= whole {
		d.plan(d.regions[0].section)
		c := d.make(unit{}, 0, len(d.text), 0)
		if d.sizeOf(&c) <= whole && d.fits(c.Tokens) && !(d.grammar.units && d.manyUnits()) {
			return d.add(c, EndDocument)
		}
	}
	if err := d.splitRegions(); err != nil {
		return err
	}
	if d.grammar.units {
		d.partUnits()
	}
	d.rankBoundaries()
	for a := 0; a < len(d.units)-1; {
		from, tokens := d.repeated(a)
		b := d.next(a, d.fixed(a)+tokens)
		if err := d.put(a, b, from, d.ending(b)); err != nil {
			return err
		}
		a = b
	}
	return nil
}

// sizeOf returns the size of a chunk's input.
func (d *divider) sizeOf(c *corpus.Chunk) int {
	if d.grammar.characters {
		return d.size(c.Input())
	}
	return c.Tokens
}

// fixed returns the tokens of a chunk's input that starts with unit a, without
// its text and the overlap.
func (d *divider) fixed(a int) int {
	u := d.units[a]
	r := &d.regions[u.region]
	n := d.special + r.section.tokens
	if u.headed {
		n += r.headerTokens
	}
	return n
}

// next returns the unit before which the chunk ends that starts with unit a
// and has so many tokens besides its own text.
func (d *divider) next(a, fixed int) int {
	start, room := d.units[a].before, max(1, d.target-fixed)
	least := d.least(a, room)
	best, i := 0, a+1
	for ; d.units[i].before-start <= room; i++ {
		u := &d.units[i]
		size := u.before - start
		if u.level == levelPart {
			return i
		}
		if best == 0 && size >= d.smallest(room) || best > 0 && (d.units[best].before-start < least && size >= least || !d.weaker(i, best)) {
			best = i
		}
	}
	switch {
	case best > 0:
		return best
	case d.units[i].before-start <= d.hard-fixed:
		return i // a short beginning stays with the long unit after it
	}
	return max(a+1, i-1)
}

// smallest is how small a chunk may be: a third of the room, or half of it in
// documents of a few chunks. Those are most documents; larger chunks are found
// better, and of few chunks an edit cannot change many.
func (d *divider) smallest(room int) int {
	if d.tokens <= 4*room {
		return room / 2
	}
	return room / 3
}

// least returns the smallest size of a chunk that starts with unit a: more than
// smallest where the text would else need one chunk more to its end than it
// must.
func (d *divider) least(a, room int) int {
	rest := d.tokens - d.units[a].before
	if rest <= room {
		return rest
	}
	next := max(1, d.target-d.fixed(a)-d.overlap)
	for chunks := 1; chunks <= 2; chunks++ {
		if n := rest - chunks*next; n <= room*4/5 {
			return max(n, d.smallest(room))
		}
	}
	return d.smallest(room)
}

// weaker reports whether boundary i is a worse place to cut than j. Of equal
// ones (repeated text) the later is taken, which fills the chunk.
func (d *divider) weaker(i, j int) bool {
	u, v := &d.units[i], &d.units[j]
	return u.level < v.level || u.level == v.level && u.hash > v.hash
}

// repeated returns where the overlap begins that a chunk starting with unit a
// repeats, and its tokens: the whole units before it that fit, else the last
// words of one. Headings, tables and code are not repeated and not passed.
func (d *divider) repeated(a int) (from, tokens int) {
	u := d.units[a]
	r := &d.regions[u.region]
	room := min(d.overlap, (d.target-d.fixed(a))/3)
	if room <= 0 || u.headed || r.block.Kind == corpus.BlockHeading {
		return u.start, 0
	}
	running := func(i int) bool {
		if i < 0 {
			return false
		}
		q := &d.regions[d.units[i].region]
		return q.section == r.section && prosaic(q.block.Kind)
	}
	i := a
	for running(i-1) && u.before-d.units[i-1].before <= room {
		i--
	}
	if i < a || !running(a-1) {
		return d.units[i].start, u.before - d.units[i].before
	}
	marks := words(d.text, d.units[a-1].start, u.start, nil)
	n := sort.Search(len(marks), func(i int) bool { return d.measureTo(d.text[marks[i].pos:u.start], room) <= room })
	if n == len(marks) {
		return u.start, 0
	}
	return marks[n].pos, room
}

// put appends the chunk of units a to b with the text from from, or, where its
// input is larger than the limit after all, without overlap, or in parts. The
// last of them ends as why says.
func (d *divider) put(a, b, from int, why Ending) error {
	u, end := d.units[a], d.units[b].start
	c := d.make(u, u.start, end, from)
	if d.fits(c.Tokens) {
		return d.add(c, why)
	}
	if from < u.start {
		return d.put(a, b, u.start, why)
	}
	if b-a == 1 {
		return d.putPart(u, u.start, end, why)
	}
	half := (u.before + d.units[b].before) / 2
	mid := a + 1 + sort.Search(b-a-2, func(i int) bool { return d.units[a+1+i].before >= half })
	if err := d.put(a, mid, u.start, EndLimit); err != nil {
		return err
	}
	return d.put(mid, b, d.units[mid].start, why)
}

// putPart appends the chunks of text[start:end], which is part of a unit: in
// halves as long as they are too large, at last without context.
func (d *divider) putPart(u unit, start, end int, why Ending) error {
	c := d.make(u, start, end, start)
	if d.fits(c.Tokens) {
		return d.add(c, why)
	}
	if mid := halve(d.text, start, end); mid > start {
		if err := d.putPart(u, start, mid, EndLimit); err != nil {
			return err
		}
		return d.putPart(u, mid, end, why)
	}
	for _, drop := range []func(){
		func() { c.Content = strings.TrimSpace(d.text[start:end]); c.Header = "" },
		func() { c.Breadcrumb = nil },
		func() { c.Title = "" },
	} {
		drop()
		if c.Tokens = d.count(c.Input()); d.fits(c.Tokens) {
			return d.add(c, why)
		}
	}
	return fmt.Errorf("%w: the character at byte %d has %d tokens, the model takes %d",
		corpus.ErrLimit, start, c.Tokens, d.limit)
}

// halve returns a place near the middle of text[start:end] to cut it, before a
// word if possible, else between grapheme clusters, else between characters;
// start if there is none.
func halve(text string, start, end int) int {
	nearest := func(marks []mark) int {
		best := start
		for _, m := range marks {
			if abs(2*m.pos-start-end) < abs(2*best-start-end) {
				best = m.pos
			}
		}
		return best
	}
	if mid := nearest(words(text, start, end, nil)); mid > start {
		return mid
	}
	if mid := nearest(pieces(text, start, end, nil)); mid > start {
		return mid
	}
	var marks []mark
	first := start + leadingSpace(text[start:end])
	for i := range strings.TrimSpace(text[start:end]) {
		if i > 0 {
			marks = append(marks, mark{pos: first + i})
		}
	}
	return nearest(marks)
}

func abs(n int) int { return max(n, -n) }

// make builds the chunk of text[start:end] in the context of unit u with the
// text from from.
func (d *divider) make(u unit, start, end, from int) corpus.Chunk {
	r := &d.regions[u.region]
	c := corpus.Chunk{
		Title:      d.title,
		Breadcrumb: slices.Clone(d.crumb(int(u.region), end)),
		Location:   corpus.Location{Start: start, End: end},
	}
	c.Location.Headings = slices.Clone(d.place(int(u.region), start, end))
	if u.headed {
		c.Header = r.header
	}
	c.Content = strings.TrimSpace(c.Header + d.text[from:end])
	if r.block.Kind == corpus.BlockHeading && start == r.start && oneLine(r.block.Title) == d.heading {
		c.Title = "" // it stands in the text
	}
	c.Tokens = d.count(c.Input())
	return c
}

// add appends a chunk and gives it its anchor.
func (d *divider) add(c corpus.Chunk, why Ending) error {
	if d.output -= utf8.RuneCountInString(c.Input()); d.output < 0 {
		return fmt.Errorf("%w: the chunks would repeat headings and headers to more than %d characters and %d times the text",
			corpus.ErrLimit, minOutput, outputFactor)
	}
	d.locator.locate(&c.Location)
	d.chunks = append(d.chunks, c)
	d.ends = append(d.ends, why)
	return nil
}
