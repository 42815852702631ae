package search

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	syntax "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// plainer writes passages as a reader sees them: snippets show no markup. It may
// be used by several goroutines at once.
type plainer struct {
	blocks syntax.Parser // without inline syntax
	all    syntax.Parser
}

func newPlainer() *plainer {
	blocks := syntax.WithBlockParsers(syntax.DefaultBlockParsers()...)
	return &plainer{
		blocks: syntax.NewParser(blocks),
		all:    syntax.NewParser(blocks, syntax.WithInlineParsers(syntax.DefaultInlineParsers()...)),
	}
}

// maxInline is the size in bytes up to which inline syntax is read: the time
// for it may grow with the square of the size.
const maxInline = 64 << 10

// plain returns a passage of a document of a media type without the marks of
// its format: Markdown's, and those of the tables that extractors write. Texts
// and code stay as they are.
func (p *plainer) plain(content, mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, ";")
	switch {
	case kind == "text/markdown":
		return p.markdown(content)
	case kind != "text/html" && strings.HasPrefix(kind, "text/"),
		kind == "application/json", kind == "application/yaml", kind == "application/toml", kind == "application/xml":
		return content
	}
	return rows(content)
}

func (p *plainer) markdown(content string) string {
	source := []byte(content)
	parse := p.all
	if len(source) > maxInline {
		parse = p.blocks
	}
	w := writer{source: source}
	// A walk without errors of its own returns none.
	_ = ast.Walk(parse.Parse(text.NewReader(source)), w.node)
	return strings.TrimSpace(w.out.String())
}

// writer writes the text of a Markdown document.
type writer struct {
	source []byte
	out    strings.Builder
	items  []int // number of the next item of each list around; -1: a bullet
	start  int   // in out, of the paragraph
}

var tag = regexp.MustCompile(`<[/!]?[A-Za-z-][^<>]*>`)

func (w *writer) node(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if n.Type() == ast.TypeBlock {
		return w.block(n, entering), nil
	}
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Text:
		value := n.Segment.Value(w.source)
		if n.Parent().Kind() != ast.KindCodeSpan && !n.IsRaw() {
			value = bytes.ReplaceAll(value, []byte(`\|`), []byte(`\\|`)) // it is no border of a cell
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		w.out.Write(value)
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.out.WriteByte('\n')
		}
	case *ast.String:
		w.out.Write(n.Value)
	case *ast.AutoLink:
		w.out.Write(n.Label(w.source))
	case *ast.RawHTML:
		return ast.WalkSkipChildren, nil
	}
	return ast.WalkContinue, nil
}

func (w *writer) block(n ast.Node, entering bool) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.List:
		if entering {
			w.items = append(w.items, -1)
			if n.IsOrdered() {
				w.items[len(w.items)-1] = n.Start
			}
		} else {
			w.items = w.items[:len(w.items)-1]
		}
	case *ast.ListItem:
		if !entering {
			break
		}
		if last := len(w.items) - 1; w.items[last] < 0 {
			w.out.WriteString("• ")
		} else {
			w.out.WriteString(strconv.Itoa(w.items[last]) + ". ")
			w.items[last]++
		}
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		if entering {
			w.start = w.out.Len()
			if !n.HasChildren() { // without inline syntax
				w.out.Write(n.Lines().Value(w.source))
			}
			break
		}
		if written := w.out.String(); strings.Contains(written[w.start:], "|") {
			w.out.Reset()
			w.out.WriteString(written[:w.start] + strings.ReplaceAll(rows(written[w.start:]), `\|`, "|"))
		}
		w.out.WriteByte('\n')
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		if entering {
			w.out.Write(n.Lines().Value(w.source))
		}
	case *ast.HTMLBlock:
		if entering {
			w.out.Write(bytes.TrimSpace(tag.ReplaceAll(n.Lines().Value(w.source), nil)))
			w.out.WriteByte('\n')
		}
	}
	return ast.WalkContinue
}

// rows writes table rows, lines such as "| a | b |", as "a · b", without the
// delimiter row below a header.
func rows(content string) string {
	if !strings.Contains(content, "|") {
		return content
	}
	var b strings.Builder
	for line := range strings.Lines(content) {
		row := strings.TrimSpace(line)
		if len(row) < 2 || row[0] != '|' || row[len(row)-1] != '|' {
			b.WriteString(line)
			continue
		}
		if strings.Trim(row, "|-: ") == "" && strings.Contains(row, "-") {
			continue
		}
		row = strings.ReplaceAll(row[1:len(row)-1], `\|`, "\x00")
		var cells []string
		for cell := range strings.SplitSeq(row, "|") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, strings.ReplaceAll(cell, "\x00", "|"))
			}
		}
		b.WriteString(strings.Join(cells, " · "))
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
