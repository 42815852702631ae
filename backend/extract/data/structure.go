package data

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/code"
)

// structure extracts JSON, YAML and TOML by their indentation: a block is a
// key with what is below it. JSON in long lines is first written over several.
type structure struct{}

func (structure) Extract(_ context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, report, err := extract.DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	lines := true
	if in.Type == typeJSON && hasLongLine(text) {
		if several, ok := indent(text); ok {
			text, lines = several, false
		}
	}
	blocks := code.Outline
	if in.Type == typeTOML {
		blocks = code.Sections
	}
	return extract.Ranges(text, in.Type, report, blocks(text), lines)
}

const (
	// longLine is the length in bytes beyond which a line is no person's.
	longLine = 1000
	// maxIndent bounds the depth of JSON that is written over several lines:
	// deeper, the indentation would outgrow the text.
	maxIndent = 64
	// maxGrowth is how many times its length a text may become.
	maxGrowth = 8
)

func hasLongLine(text string) bool {
	for line := range strings.Lines(text) {
		if len(line) > longLine {
			return true
		}
	}
	return false
}

// indent writes one JSON value with a line for each member. It fails for what
// is no JSON, for several values (one a line is a format of its own), and for
// what would grow too much.
func indent(text string) (string, bool) {
	if depth, size := spread(text); depth > maxIndent || size > maxGrowth*len(text) || size > extract.MaxText {
		return "", false
	}
	var b bytes.Buffer
	if !json.Valid([]byte(text)) || json.Indent(&b, []byte(text), "", "  ") != nil {
		return "", false
	}
	return b.String(), true
}

// spread is the depth of brackets outside of strings, and the size of the text
// with a line for each member.
func spread(text string) (deepest, size int) {
	depth, quoted := 0, false
	size = len(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
			size += 1 + 2*depth
		case c == '}', c == ']':
			depth--
			size += 1 + 2*max(depth, 0)
		case c == ',':
			size += 1 + 2*max(depth, 0)
		}
	}
	return deepest, size
}
