package extract

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// blankComments overwrites HTML comments with spaces, so that no offset
// changes: they are hidden text, which no reader of the document sees and no
// answer may cite. It returns how many characters were hidden. Comments in
// code are text.
func blankComments(source []byte, root ast.Node) int {
	hidden := 0
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		from, to := lines.At(0).Start, lines.At(lines.Len()-1).Stop
		switch n := n.(type) {
		case *ast.HTMLBlock:
			if n.HasClosure() {
				to = n.ClosureLine.Stop
			}
			hidden += blankInHTML(source[from:to])
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			hidden += blankInProse(source[from:to])
		}
		return ast.WalkContinue, nil
	})
	return hidden
}

var (
	commentStart = []byte("<!--")
	commentEnd   = []byte("-->")
)

// blankInHTML blanks comments in raw HTML, where one that is not closed hides
// the rest.
func blankInHTML(s []byte) (hidden int) {
	for {
		i := bytes.Index(s, commentStart)
		if i < 0 {
			return hidden
		}
		end := len(s)
		if j := bytes.Index(s[i+len(commentStart):], commentEnd); j >= 0 {
			end = i + len(commentStart) + j + len(commentEnd)
		}
		hidden += blank(s[i:end])
		s = s[end:]
	}
}

// blankInProse blanks comments in inline text: not in code spans, not after a
// backslash, and only closed ones.
func blankInProse(s []byte) (hidden int) {
	if !bytes.Contains(s, commentStart) {
		return 0
	}
	last := map[int]int{} // where the last run of so many backticks begins
	for i := 0; i < len(s); i++ {
		if n := backticks(s[i:]); n > 0 {
			last[n] = i
			i += n - 1
		}
	}
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\':
			i += 2
		case s[i] == '`':
			n := backticks(s[i:])
			i += n
			if last[n] < i {
				continue // nothing closes a code span
			}
			for m := 0; m != n; {
				i += m + bytes.IndexByte(s[i+m:], '`')
				m = backticks(s[i:])
			}
			i += n
		case bytes.HasPrefix(s[i:], commentStart):
			j := bytes.Index(s[i+len(commentStart):], commentEnd)
			if j < 0 {
				return hidden
			}
			end := i + len(commentStart) + j + len(commentEnd)
			hidden += blank(s[i:end])
			i = end
		default:
			i++
		}
	}
	return hidden
}

// backticks is the length of the run of backticks that s begins with.
func backticks(s []byte) int {
	return len(s) - len(bytes.TrimLeft(s, "`"))
}

// blank overwrites all but line ends and returns the number of characters.
func blank(s []byte) int {
	n := utf8.RuneCount(s)
	for i := range s {
		if s[i] != '\n' {
			s[i] = ' '
		}
	}
	return n
}
