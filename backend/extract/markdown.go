package extract

import (
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"ibid/backend/corpus"
)

// markdown extracts CommonMark with GFM tables and front matter. The text is
// the source itself without the front matter and with spaces in place of HTML
// comments, so that every location slices back. Blocks are the children of the
// document: headings inside lists and quotes divide nothing.
//
// Only the block structure is parsed: inline syntax does not move a block, and
// without it the time is linear in the length for all inputs but deeply nested
// ones, which are taken as plain text with a note. Link definitions stay
// paragraphs and tables are found here, as goldmark would drop the first and
// fill the second up to quadratic size.
type markdown struct {
	block  parser.Parser
	inline parser.Parser // for the text of headings
}

// Markdown returns the extractor of Markdown, for formats that hold some.
func Markdown() Extractor { return newMarkdown() }

func newMarkdown() markdown {
	return markdown{
		block: parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)),
		inline: parser.NewParser(
			parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		),
	}
}

func (m markdown) Extract(ctx context.Context, in Input) (*corpus.Extraction, error) {
	source, report, err := DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	front := cutFrontMatter(source)
	report.Notes = append(report.Notes, front.notes...)
	cut, code := front.end, 0
	if front.broken {
		cut, code = 0, front.end
	}
	body := source[cut:]
	var doc *corpus.Extraction
	if why := noMarkdown(body); why != "" {
		report.Notes = append(report.Notes, why+": taken as plain text")
		shown := []byte(body)
		report.Hidden += blankInProse(shown)
		doc, err = plainText(string(shown), in.Type, report)
	} else {
		doc, err = m.extract(body, code, in.Type, report)
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	doc.Metadata = front.metadata
	if front.title != "" {
		doc.Title = front.title
	}
	skipped := strings.Count(source[:cut], "\n")
	doc.FirstLine = 1 + skipped
	for i := range doc.Blocks {
		doc.Blocks[i].Anchor.LineStart += skipped
		doc.Blocks[i].Anchor.LineEnd += skipped
	}
	return doc, nil
}

// extract divides body. Its first bytes are one block of code if code is
// positive, and no Markdown.
func (m markdown) extract(body string, code int, mediaType string, report corpus.Report) (*corpus.Extraction, error) {
	whole := []byte(body)
	source := whole[code:]
	root := m.block.Parse(text.NewReader(source))
	nodes, starts := children(root, body[code:])
	report.Hidden += blankComments(source, root)

	doc := &corpus.Extraction{Text: string(whole), Type: mediaType, Report: report}
	b := blocks{text: doc.Text, line: 1}
	b.reserve(len(nodes) + 1)
	b.add(corpus.Block{Kind: corpus.BlockCode, End: code})
	path := outline{}
	for i, n := range nodes {
		block := corpus.Block{Kind: corpus.BlockParagraph, Start: code + starts[i], End: code + starts[i+1]}
		switch n := n.(type) {
		case *ast.ThematicBreak:
			continue
		case *ast.Heading:
			block.Kind, block.Level, block.Title = corpus.BlockHeading, n.Level, m.plainTitle(n, source)
			path.leave(n.Level)
			if n.Level == 1 && doc.Title == "" {
				doc.Title = block.Title
			}
		case *ast.List:
			block.Kind = corpus.BlockList
		case *ast.Blockquote:
			block.Kind = corpus.BlockQuote
		case *ast.CodeBlock:
			block.Kind = corpus.BlockCode
		case *ast.FencedCodeBlock:
			block.Kind = corpus.BlockCode
			if n.Info != nil {
				block.Title = string(n.Info.Value(source))
			}
		case *ast.Paragraph:
			if table, header, ok := findTable(doc.Text[block.Start:block.End]); ok {
				before := block
				before.End = block.Start + table
				before.Anchor.Headings = path.titles()
				b.add(before)
				block.Start, block.Header, block.Kind = before.End, header, corpus.BlockTable
			}
		}
		block.Anchor.Headings = path.titles()
		b.add(block)
		if block.Kind == corpus.BlockHeading {
			path.enter(block.Level, block.Title)
		}
	}
	doc.Blocks = b.list
	return doc, b.err()
}

// children returns the document's blocks with the starts of their lines and,
// at the end, the end of the text: block i is body[starts[i]:starts[i+1]], so
// that nothing is lost whatever a node says of its own lines.
func children(root ast.Node, body string) (nodes []ast.Node, starts []int) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		start := 0
		if len(nodes) > 0 {
			start = strings.LastIndexByte(body[:max(n.Pos(), 0)], '\n') + 1
			if start <= starts[len(starts)-1] {
				continue
			}
		}
		nodes = append(nodes, n)
		starts = append(starts, start)
	}
	return nodes, append(starts, len(body))
}

// plainTitle is a heading's text without markup, in one line.
func (m markdown) plainTitle(heading ast.Node, source []byte) string {
	raw := strings.Join(strings.Fields(string(heading.Lines().Value(source))), " ")
	if len(raw) > maxTitle {
		return raw // no heading; not worth the parser's time
	}
	var b strings.Builder
	line := []byte(raw)
	_ = ast.Walk(m.inline.Parse(text.NewReader(line)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(line)
			if !n.IsRaw() {
				value = util.UnescapePunctuations(util.ResolveNumericReferences(util.ResolveEntityNames(value)))
			}
			b.Write(value)
		case *ast.AutoLink:
			b.Write(n.Label(line))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

const maxTitle = 1000

// outline is the path of headings to the current place.
type outline []struct {
	level int
	title string
}

// leave ends the sections at level and below.
func (o *outline) leave(level int) {
	for len(*o) > 0 && (*o)[len(*o)-1].level >= level {
		*o = (*o)[:len(*o)-1]
	}
}

func (o *outline) enter(level int, title string) {
	*o = append(*o, struct {
		level int
		title string
	}{level, title})
}

func (o *outline) titles() []string {
	var titles []string
	for _, h := range *o {
		if h.title != "" {
			titles = append(titles, h.title)
		}
	}
	return titles
}

// maxNesting is how many lists and quotes may open in one line. goldmark's
// time for a line grows with the square of their number.
const maxNesting = 100

// noMarkdown says why a text should not be parsed, or "". A line may become
// several nodes of the tree, which take a hundred times its memory.
func noMarkdown(body string) string {
	switch {
	case strings.Count(body, "\n") > MaxBlocks:
		return "too many lines for Markdown"
	case tooNested(body):
		return "nested too deeply for Markdown"
	}
	return ""
}

// tooNested reports whether a line opens more containers than maxNesting, or all
// of them together more than two for each line that there may be.
func tooNested(body string) bool {
	all := 0
	for pos := 0; pos < len(body); {
		next := lineEnd(body, pos)
		n := containers(body[pos:next])
		if all += n; n > maxNesting || all > 2*MaxBlocks {
			return true
		}
		pos = next
	}
	return false
}

// containers counts the markers of quotes and list items that a line begins
// with, and two columns of indentation before them as one, since each list
// around it needs as much.
func containers(line string) int {
	markers, columns, digits := 0, 0, false
	for i, c := range []byte(line) {
		switch {
		case c == ' ' || c == '\n':
			columns++
		case c == '\t':
			columns += 4
		case c == '>':
			markers++
		case c == '-' || c == '+' || c == '*' || digits && (c == '.' || c == ')'):
			if i+1 < len(line) && !strings.ContainsRune(" \t\n", rune(line[i+1])) {
				return nesting(markers, columns)
			}
			markers++
		case c >= '0' && c <= '9':
			digits = true
			continue
		default:
			return nesting(markers, columns)
		}
		digits = false
	}
	if strings.Trim(line, "-* \t\n") == "" {
		return 0 // a thematic break
	}
	return nesting(markers, columns)
}

func nesting(markers, columns int) int {
	if markers == 0 {
		return 0
	}
	return max(markers, columns/2)
}
