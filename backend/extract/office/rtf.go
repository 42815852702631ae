package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// rtf extracts Rich Text Format.
type rtf struct{}

func (rtf) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	if !bytes.HasPrefix(in.Data, []byte(`{\rtf`)) {
		return nil, errors.New(`the document does not begin with "{\rtf"`)
	}
	r := &rtfReader{
		b: extract.NewBuilder(in.Type), page: 1252,
		fonts: map[int]int{}, levels: map[int]int{},
		state: rtfState{skipAfter: 1},
	}
	s := rtfScanner{data: in.Data}
	for i := 0; ; i++ {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		t := s.next()
		if t.kind == rtfEnd {
			break
		}
		if err := r.take(t); err != nil {
			return nil, err
		}
		if r.done {
			break
		}
	}
	if !r.done {
		r.b.Note("the document ends early: it is cut off")
	}
	r.endParagraph()
	r.endTable()
	for _, m := range r.margins {
		r.b.Quote(m)
	}
	return r.b.Done()
}

// destination is where text goes.
type destination byte

const (
	toBody destination = iota
	toNowhere
	toFonts
	toStyles
	toInfo
	toMarker   // a list item's bullet or number
	toNote     // a footnote
	toComment  // a comment
	toAuthor   // of a comment
	toMargin   // a page header or footer
	toProperty // of info
)

// rtfState is what a group inherits and leaves unchanged for its parent.
type rtfState struct {
	to        destination
	hidden    bool
	deleted   bool
	font      int
	skipAfter int // \uc: characters that stand in for a \u
}

// rtfReader is the reading of one document.
type rtfReader struct {
	b     *extract.Builder
	state rtfState
	stack []rtfState
	star  bool // \* came: skip the group if its word is not known
	done  bool

	page   int         // default code page
	fonts  map[int]int // code page by font
	levels map[int]int // heading level by style

	font, style int // being defined
	property    string

	raw       []byte // of a code page, not decoded yet
	rawPage   int
	skip      int // characters to skip after \u
	surrogate rune

	body, aside strings.Builder // of the paragraph, of a note
	marker      strings.Builder
	author      strings.Builder
	notes       []string // that follow the paragraph
	margins     []string // page headers and footers

	level, depth int
	inTable      bool
	cells        []string
	rows         [][]string
}

func (r *rtfReader) take(t rtfToken) error {
	if t.kind != rtfChar && (t.kind != rtfControl || t.word != "'") {
		r.decode()
	}
	switch t.kind {
	case rtfOpen:
		if len(r.stack) >= xmlwalk.MaxDepth {
			return fmt.Errorf("%w: groups nest deeper than %d", corpus.ErrLimit, xmlwalk.MaxDepth)
		}
		r.stack = append(r.stack, r.state)
		r.star, r.skip = false, 0
	case rtfClose:
		r.closeGroup()
	case rtfChar:
		r.byte(t.char)
	case rtfControl:
		if t.word == "'" {
			r.byte(byte(t.param))
			break
		}
		r.control(t)
	}
	return r.b.Err()
}

func (r *rtfReader) closeGroup() {
	n := len(r.stack)
	if n == 0 {
		r.done = true
		return
	}
	before := r.state
	r.state = r.stack[n-1]
	r.stack = r.stack[:n-1]
	r.star, r.skip = false, 0
	r.done = len(r.stack) == 0
	if before.to == r.state.to {
		return
	}
	switch before.to {
	case toNote:
		r.keep(&r.notes, "[Footnote] ")
	case toComment:
		mark := "[Comment] "
		if author := extract.Clean(r.author.String()); author != "" {
			mark = "[Comment by " + author + "] "
		}
		r.author.Reset()
		r.keep(&r.notes, mark)
	case toMargin:
		r.keep(&r.margins, "[Page margin] ")
	case toProperty:
		r.b.Property(r.property, r.aside.String())
		r.aside.Reset()
	}
}

// keep moves the text that stood aside to a list, if it has words and is new.
func (r *rtfReader) keep(list *[]string, mark string) {
	text := extract.Clean(r.aside.String())
	r.aside.Reset()
	if strings.ContainsFunc(text, unicode.IsLetter) && !slices.Contains(*list, mark+text) {
		*list = append(*list, mark+text)
	}
}

// byte takes a byte of text in the current code page.
func (r *rtfReader) byte(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	page := r.page
	if p, ok := r.fonts[r.state.font]; ok {
		page = p
	}
	if page != r.rawPage {
		r.decode()
	}
	r.rawPage = page
	r.raw = append(r.raw, c)
}

// decode writes the bytes gathered so far.
func (r *rtfReader) decode() {
	if len(r.raw) == 0 {
		return
	}
	text, err := codePage(r.rawPage).NewDecoder().Bytes(r.raw)
	if err != nil {
		text = bytes.ToValidUTF8(r.raw, []byte("\uFFFD"))
	}
	r.raw = r.raw[:0]
	r.write(string(text))
}

// write adds text to where the state says.
func (r *rtfReader) write(text string) {
	r.surrogate = 0
	if r.state.deleted {
		return
	}
	if r.state.hidden {
		if r.state.to == toBody {
			r.b.Hide(extract.Clean(text))
		}
		return
	}
	switch r.state.to {
	case toBody:
		r.body.WriteString(text)
	case toNote, toComment, toMargin, toProperty:
		r.aside.WriteString(text)
	case toMarker:
		r.marker.WriteString(text)
	case toAuthor:
		r.author.WriteString(text)
	}
}

// unicode takes \u: UTF-16 code units as signed numbers.
func (r *rtfReader) unicode(n int) {
	c := rune(uint16(n))
	switch {
	case utf16.IsSurrogate(c) && r.surrogate == 0:
		r.surrogate = c
	case r.surrogate != 0:
		high := r.surrogate
		r.write(string(utf16.DecodeRune(high, c)))
	default:
		r.write(string(c))
	}
	r.skip = r.state.skipAfter
}

// endParagraph writes the paragraph.
func (r *rtfReader) endParagraph() {
	r.decode()
	if r.inTable {
		r.body.WriteByte(' ')
		return
	}
	text, marker := r.body.String(), extract.Clean(r.marker.String())
	r.body.Reset()
	r.marker.Reset()
	if strings.TrimSpace(text) != "" {
		r.endTable()
		switch {
		case r.level > 0:
			r.b.Heading(r.level, marker+" "+text)
		case marker != "":
			if !strings.ContainsFunc(marker, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
				marker = "-"
			}
			r.b.Item(r.depth, marker, text)
		default:
			r.b.Paragraph(text)
		}
	}
	r.emitNotes()
}

func (r *rtfReader) emitNotes() {
	if len(r.rows) > 0 {
		return // after the table
	}
	for _, n := range r.notes {
		r.b.Quote(n)
	}
	r.notes = nil
}

func (r *rtfReader) endCell() {
	if len(r.cells) < maxColumns {
		r.cells = append(r.cells, strings.TrimSpace(r.body.String()))
	}
	r.body.Reset()
}

func (r *rtfReader) endRow() {
	if len(r.cells) > 0 {
		r.rows = append(r.rows, r.cells)
	}
	r.cells = nil
	r.inTable = false
}

// endTable writes the rows gathered so far.
func (r *rtfReader) endTable() {
	if len(r.rows) == 0 {
		return
	}
	r.b.Table(r.rows, 1)
	r.rows = nil
	r.emitNotes()
}
