package corpus

// BlockKind is the role of a block in its document.
type BlockKind string

// Kinds of blocks.
const (
	BlockHeading   BlockKind = "heading"
	BlockParagraph BlockKind = "paragraph"
	BlockList      BlockKind = "list"
	BlockTable     BlockKind = "table"
	BlockCode      BlockKind = "code"
	BlockQuote     BlockKind = "quote"
)

// Block is a structural unit of the extracted text, text[Start:End]. Blocks
// are in order and do not overlap; the bytes between them are white space or
// markup without words.
type Block struct {
	Kind  BlockKind `json:"kind"`
	Level int       `json:"level,omitempty"` // 1–6 for headings
	Start int       `json:"start"`
	End   int       `json:"end"`
	// Title is a heading's text without markup; for code the info string.
	Title string `json:"title,omitempty"`
	// Header is how many bytes at the block's start belong to a table's header
	// (with its delimiter row): repeated with every part of a divided table.
	Header int    `json:"header,omitempty"`
	Anchor Anchor `json:"anchor"`
	// Lines of paged formats tell where the block's lines stand. They are in
	// order and do not overlap; what is between them stands nowhere.
	Lines []Line `json:"lines,omitempty"`
}

// Line is text[Block.Start+Start:Block.Start+End], a line on a page. Its box
// names the page.
type Line struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Box   Box `json:"box"`
}

// Box is a rectangle on a page as it is shown: points (1/72 inch), origin at the
// top left. Page counts from 1; 0 is the anchor's.
type Box struct {
	Page int `json:"page,omitempty"`

	X0 float32 `json:"x0"`
	Y0 float32 `json:"y0"`
	X1 float32 `json:"x1"`
	Y1 float32 `json:"y1"`
}

// Anchor is a place in the original document. Numbers count from 1; 0 means
// "does not apply". Ranges include both ends.
type Anchor struct {
	Page    int `json:"page,omitempty"`
	PageEnd int `json:"page_end,omitempty"`
	// PageLabel is what is printed as the number of Page, where it is another.
	PageLabel string   `json:"page_label,omitempty"`
	Boxes     []Box    `json:"boxes,omitempty"`
	LineStart int      `json:"line_start,omitempty"`
	LineEnd   int      `json:"line_end,omitempty"`
	Sheet     string   `json:"sheet,omitempty"`
	RowStart  int      `json:"row_start,omitempty"`
	RowEnd    int      `json:"row_end,omitempty"`
	Slide     int      `json:"slide,omitempty"`
	Headings  []string `json:"headings,omitempty"` // path of headings above, outermost first
}

// Location is where a chunk stands: text[Start:End] of the stored text, and
// the anchor in the original.
type Location struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Anchor
}

// Extraction is what an extractor makes of a document's bytes.
type Extraction struct {
	// Text is valid UTF-8 with "\n" line ends; Blocks are ranges of it.
	Text   string  `json:"text"`
	Blocks []Block `json:"blocks"`
	// Title comes from the content (front matter, first heading); "" if none.
	Title    string   `json:"title,omitempty"`
	Type     string   `json:"type"`
	Metadata Metadata `json:"metadata,omitempty"`
	Report   Report   `json:"report"`
	// FirstLine is the line of the original on which Text begins (front matter
	// is cut off); 0 where lines mean nothing, as in PDF.
	FirstLine int `json:"first_line,omitempty"`
}
