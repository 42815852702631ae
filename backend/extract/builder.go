package extract

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// MaxBlocks is the largest number of blocks of a document.
const MaxBlocks = corpus.MaxBlocks

func tooManyBlocks() error {
	return fmt.Errorf("%w: the document has more than %d blocks", corpus.ErrLimit, MaxBlocks)
}

// maxHeading is the longest heading in bytes: what is longer is a paragraph in
// the wrong style.
const maxHeading = 500

// Builder writes the text and the blocks of a document whose format is no
// text itself. Blocks stand apart by an empty line; consecutive items are one
// list, consecutive rows one table. Strings are cleaned (see Clean), so that
// what was built always satisfies Validate.
//
// After the first error (corpus.ErrLimit: the document is too long) further
// calls do nothing, and Err and Done return it.
type Builder struct {
	// Place is the anchor of the blocks that follow. Builder itself fills in
	// Headings and, of tables, rows.
	Place  corpus.Anchor
	Report corpus.Report
	// Title and Metadata are the document's. A title that is empty at the end
	// becomes the first heading of level 1, else the property "title".
	Title    string
	Metadata corpus.Metadata

	mediaType string
	text      strings.Builder
	blocks    []corpus.Block
	outline   outline
	headings  []string // titles of outline, shared by all blocks under it
	first     string   // heading of level 1
	stated    string   // the property "title"
	joining   joining
	err       error
}

// joining tells what the next item or row may continue.
type joining struct {
	kind   corpus.BlockKind // list, table, or "" for nothing
	header bool             // all rows yet belong to the header
	row    int              // of the sheet, last written; 0: none
}

// NewBuilder returns a builder of a document of this media type.
func NewBuilder(mediaType string) *Builder { return &Builder{mediaType: mediaType} }

// Err returns the first error.
func (b *Builder) Err() error { return b.err }

// Len is the length of the text so far in bytes.
func (b *Builder) Len() int { return b.text.Len() }

// maxNotes is how many remarks a report has.
const maxNotes = 50

// Note adds a remark to the report, each only once.
func (b *Builder) Note(format string, args ...any) {
	if len(b.Report.Notes) > maxNotes {
		return
	}
	note := fmt.Sprintf(format, args...)
	switch {
	case slices.Contains(b.Report.Notes, note):
	case len(b.Report.Notes) == maxNotes:
		b.Report.Notes = append(b.Report.Notes, "there were more remarks")
	default:
		b.Report.Notes = append(b.Report.Notes, note)
	}
}

// Hide counts text that the document hides and that is therefore left out.
func (b *Builder) Hide(text string) { b.Report.Hidden += utf8.RuneCountInString(text) }

// Heading begins a section. The level is brought into 1–6; a text that is too
// long for a heading becomes a paragraph.
func (b *Builder) Heading(level int, text string) {
	text = strings.ReplaceAll(b.clean(text), "\n", " ")
	if len(text) > maxHeading {
		b.Paragraph(text)
		return
	}
	level = min(max(level, 1), 6)
	b.outline.leave(level)
	b.headings = b.outline.titles()
	if !b.block(corpus.Block{Kind: corpus.BlockHeading, Level: level, Title: text}, text) {
		return
	}
	b.outline.enter(level, text)
	b.headings = b.outline.titles()
	if level == 1 && b.first == "" {
		b.first = text
	}
}

// Section leaves the sections of all headings: what follows has none above it.
func (b *Builder) Section() {
	b.outline.leave(1)
	b.headings = nil
}

// Paragraph adds running text; "\n" in it is a line break.
func (b *Builder) Paragraph(text string) {
	b.block(corpus.Block{Kind: corpus.BlockParagraph}, b.clean(text))
}

// Quote adds text that is not the document's own voice: quotations, and marked
// comments and notes.
func (b *Builder) Quote(text string) {
	b.block(corpus.Block{Kind: corpus.BlockQuote}, b.clean(text))
}

// Code adds text whose white space counts, in a language or "".
func (b *Builder) Code(language, text string) {
	hidden := 0
	text = strings.Trim(clean(text, true, &hidden), "\n")
	b.Report.Hidden += hidden
	b.block(corpus.Block{Kind: corpus.BlockCode, Title: b.clean(language)}, text)
}

// Item adds a list item: depth counts from 0, the marker ("-", "1.", "a)") is
// part of the text. Without marker it is one more paragraph of the item before.
func (b *Builder) Item(depth int, marker, text string) {
	if text = b.clean(text); text == "" {
		return
	}
	indent := strings.Repeat("  ", min(max(depth, 0), 10))
	if marker = b.clean(marker); marker == "" {
		marker = " "
	}
	line := indent + marker + " " + strings.ReplaceAll(text, "\n", "\n"+indent+"  ")
	if b.joining.kind == corpus.BlockList && b.extend("\n"+line) {
		return
	}
	if b.block(corpus.Block{Kind: corpus.BlockList}, line) {
		b.joining.kind = corpus.BlockList
	}
}

// Row is one row of a table.
type Row struct {
	Cells []string
	// Header rows stand first and are repeated with every part of the table.
	Header bool
	// Number is the row in a sheet, from 1; 0 where rows have none. A row whose
	// number does not follow the one before begins another table, unless one of
	// them is of the header.
	Number int
}

// Row adds a row to a table: "| a | b |" in one line. Empty rows have a line,
// too, so that rows can be counted; only at the start of a table they have
// none.
func (b *Builder) Row(r Row) {
	var line strings.Builder
	line.WriteByte('|')
	words := false
	for _, c := range r.Cells {
		c = strings.ReplaceAll(b.clean(c), "\n", " ")
		words = words || c != ""
		line.WriteByte(' ')
		line.WriteString(strings.ReplaceAll(c, "|", `\|`))
		line.WriteString(" |")
	}
	j := &b.joining
	follows := j.kind == corpus.BlockTable && (j.header || !r.Header) && (r.Number == 0 || j.header || r.Number == j.row+1)
	if !words && !follows {
		return
	}
	if follows {
		if j.header && !r.Header {
			if !b.endHeader(len(r.Cells)) {
				return
			}
		}
		if !b.extend("\n" + line.String()) {
			return
		}
	} else {
		b.joining = joining{}
		if !b.block(corpus.Block{Kind: corpus.BlockTable}, line.String()) {
			return
		}
		*j = joining{kind: corpus.BlockTable, header: r.Header}
	}
	if r.Number > 0 {
		last := &b.blocks[len(b.blocks)-1].Anchor
		if last.RowStart == 0 {
			last.RowStart = r.Number
		}
		last.RowEnd, j.row = r.Number, r.Number
	}
}

// endHeader writes the delimiter row.
func (b *Builder) endHeader(columns int) bool {
	if !b.extend("\n|" + strings.Repeat(" --- |", max(columns, 1))) {
		return false
	}
	last := &b.blocks[len(b.blocks)-1]
	last.Header = last.End - last.Start + 1 // and the line end, which a row follows
	b.joining.header = false
	return true
}

// MaxCell is the length of a cell in bytes beyond which a table is taken for a
// means of layout.
const MaxCell = 2000

// Table adds a whole table, of which the first rows are headers; one that only
// arranges text, with one column or long cells, becomes the text.
func (b *Builder) Table(rows [][]string, headers int) {
	layout := true
	for _, row := range rows {
		layout = layout && len(row) <= 1
	}
	for _, row := range rows {
		layout = layout || slices.ContainsFunc(row, func(c string) bool { return len(c) > MaxCell })
	}
	b.Break()
	for i, row := range rows {
		if layout {
			for _, c := range row {
				b.Paragraph(c)
			}
			continue
		}
		b.Row(Row{Cells: row, Header: i < headers && headers < len(rows)})
	}
	b.Break()
}

// Last is the text of the last block.
func (b *Builder) Last() string {
	if len(b.blocks) == 0 {
		return ""
	}
	last := b.blocks[len(b.blocks)-1]
	return b.text.String()[last.Start:last.End]
}

// Lines tells where the lines of the last block stand, which must be its own.
func (b *Builder) Lines(lines []corpus.Line) {
	if len(b.blocks) > 0 && b.err == nil {
		b.blocks[len(b.blocks)-1].Lines = lines
	}
}

// Break ends a list or table, so that the next item or row begins another.
func (b *Builder) Break() { b.joining = joining{} }

// Done returns the document.
func (b *Builder) Done() (*corpus.Extraction, error) {
	if b.err != nil {
		return nil, b.err
	}
	for _, title := range []string{b.first, b.stated} {
		if b.Title == "" {
			b.Title = title
		}
	}
	return &corpus.Extraction{
		Text: b.text.String(), Blocks: b.blocks, Title: strings.Join(strings.Fields(b.clean(b.Title)), " "),
		Type: b.mediaType, Metadata: b.Metadata, Report: b.Report,
	}, nil
}

// block appends a block, which ends what was joined, unless text is empty.
func (b *Builder) block(block corpus.Block, text string) bool {
	b.joining = joining{}
	if text == "" || b.err != nil {
		return false
	}
	if len(b.blocks) >= MaxBlocks {
		b.err = tooManyBlocks()
		return false
	}
	apart := ""
	if b.text.Len() > 0 {
		apart = "\n\n"
	}
	if !b.write(apart + text) {
		return false
	}
	block.Start, block.End = b.text.Len()-len(text), b.text.Len()
	block.Anchor = b.Place
	block.Anchor.Headings = b.headings
	b.blocks = append(b.blocks, block)
	return true
}

// extend appends to the last block.
func (b *Builder) extend(text string) bool {
	if b.err != nil || !b.write(text) {
		return false
	}
	b.blocks[len(b.blocks)-1].End = b.text.Len()
	return true
}

func (b *Builder) write(text string) bool {
	if b.text.Len()+len(text) > MaxText {
		b.err = tooLong()
		return false
	}
	b.text.WriteString(text)
	return true
}

// clean is Clean that counts what was hidden.
func (b *Builder) clean(s string) string {
	hidden := 0
	s = clean(s, false, &hidden)
	b.Report.Hidden += hidden
	return s
}
