package extract

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"ibid/backend/corpus"
)

// MaxText is the longest text that an extractor returns, in bytes of UTF-8.
const MaxText = 64 << 20

// Decode turns the bytes of a text in whatever encoding into UTF-8: valid,
// without byte order mark, with "\n" line ends and without NUL. The report
// names the encoding if it is not UTF-8 and counts in Notes what had to be
// replaced. Text longer than MaxText is corpus.ErrLimit.
//
// The encoding is the one of the byte order mark, else UTF-32 or UTF-16 if
// zero bytes show it, else UTF-8 if valid, else the most plausible of the
// legacy encodings (detectBytes). Nothing fails for being badly encoded.
func Decode(data []byte) (string, corpus.Report, error) { return DecodeDeclared(data, "") }

// DecodeDeclared is Decode of a text that names its own encoding, as HTML and
// mail do, or "". It is believed where a byte order mark or valid UTF-8 does
// not say otherwise, and where all bytes have a meaning in it.
func DecodeDeclared(data []byte, label string) (string, corpus.Report, error) {
	var report corpus.Report
	// What the author replaced before is no loss of ours: compared below.
	replacedBefore := 0
	enc, bom := detectWide(data)
	data = data[bom:]
	if enc == nil && len(data) > MaxText || len(data)/4 > MaxText { // UTF-32 has four bytes for each of ASCII
		return "", report, tooLong()
	}
	var text string
	switch {
	case enc != nil:
	case utf8.Valid(data):
		replacedBefore = bytes.Count(data, replacement)
	default:
		if enc = declared(label, data); enc == nil {
			enc = detectBytes(data)
		}
	}
	if enc == nil {
		text = strings.ToValidUTF8(string(data), string(replacement))
	} else {
		report.Encoding = enc.name
		var b strings.Builder
		b.Grow(min(len(data), MaxText+1))
		decoded := enc.encoding.NewDecoder().Reader(bytes.NewReader(data))
		if _, err := io.Copy(&b, io.LimitReader(decoded, MaxText+1)); err != nil {
			return "", report, fmt.Errorf("decode %s: %w", enc.name, err)
		}
		text = b.String()
	}
	if len(text) > MaxText {
		return "", report, tooLong()
	}
	if n := strings.Count(text, string(replacement)) - replacedBefore; n > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("%d invalid byte sequences were replaced", n))
	}
	if n := strings.Count(text, "\x00"); n > 0 {
		text = strings.ReplaceAll(text, "\x00", " ")
		report.Notes = append(report.Notes, fmt.Sprintf("%d NUL characters were replaced by spaces", n))
	}
	if strings.Contains(text, "\r") {
		text = newlines.Replace(text)
	}
	return text, report, nil
}

// declared returns the encoding of a label (WHATWG's names), unless unknown,
// UTF-8, or not that of these bytes.
func declared(label string, data []byte) *charset {
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	name, err := htmlindex.Name(e)
	if err != nil || strings.HasPrefix(name, "utf-") || damagedUTF8(highLines(data)) {
		return nil
	}
	text, err := e.NewDecoder().Bytes(data)
	if err != nil || bytes.Contains(text, replacement) {
		return nil
	}
	return &charset{name: name, encoding: e}
}

var (
	replacement = []byte("\uFFFD")
	newlines    = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

func tooLong() error {
	return fmt.Errorf("%w: the text is longer than %d MiB", corpus.ErrLimit, MaxText>>20)
}

// DecodeLines is Decode of a text that is read line by line: more lines than
// corpus.MaxUnits are corpus.ErrLimit before they take any memory.
func DecodeLines(data []byte) (string, corpus.Report, error) {
	text, report, err := Decode(data)
	if err == nil && strings.Count(text, "\n") > corpus.MaxUnits {
		err = fmt.Errorf("%w: it has more than %d Mi lines; divide it into several files", corpus.ErrLimit, corpus.MaxUnits>>20)
	}
	return text, report, err
}
