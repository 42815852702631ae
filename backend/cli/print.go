package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// say prints one line of result.
func (g *globals) say(format string, args ...any) {
	fmt.Fprintf(g.streams.Out, format+"\n", args...)
}

// hint prints what to do next, for people.
func (g *globals) hint(format string, args ...any) {
	if !g.quiet && !g.json {
		fmt.Fprintf(g.streams.Err, format+"\n", args...)
	}
}

// printJSON prints one indented value.
func (g *globals) printJSON(v any) error {
	enc := json.NewEncoder(g.streams.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printLine prints one JSON line with its message type, the fields of v beside it.
func (g *globals) printLine(messageType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	line := `{"message_type":` + strconv.Quote(messageType)
	if fields := strings.TrimSpace(string(body[1 : len(body)-1])); fields != "" {
		line += "," + fields
	}
	if _, err := fmt.Fprintln(g.streams.Out, line+"}"); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func (g *globals) table(rows [][]string) {
	w := tabwriter.NewWriter(g.streams.Out, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = plain(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
}

// Styles of a terminal (ECMA-48 SGR); plain elsewhere.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	amber  = "33"
	violet = "35"
)

func (g *globals) style(code, s string) string {
	if !g.terminal || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// plain puts a text on one line and replaces control characters: file names
// and document texts are data and do not drive a terminal.
func plain(s string) string {
	var b strings.Builder
	last, ended := rune(0), false // ended: a line has, and its space is written
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			ended = true
			if last == ' ' {
				continue
			}
			r = ' '
		case r == ' ' && ended:
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			r, ended = unicode.ReplacementChar, false
		default:
			ended = false
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// number writes n with thousands separators.
func number(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural counts a noun; irregular ones bring their plural.
func plural(n int, noun string, irregular ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(irregular) > 0:
		return number(n) + " " + irregular[0]
	}
	return number(n) + " " + noun + "s"
}

// share writes part of whole in per cent.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return strconv.Itoa(100*part/whole) + " %"
}

// duration writes seconds as people say them.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return "less than 1 s"
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 90*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
