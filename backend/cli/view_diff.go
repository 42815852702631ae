package cli

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"ibid/backend/api"
)

// textWidth is how wide a passage's text is set: as the terminal, within what
// reads well, and the latter where there is none.
func (g *globals) textWidth() int {
	const least, most = 20, 96
	if f, ok := g.streams.Out.(*os.File); ok && g.tty {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return min(max(w, least), most)
		}
	}
	return most
}

// printDiff shows which passages of a document come, go and stay.
func (g *globals) printDiff(d api.Diff) {
	limit := g.textWidth()
	c := d.Chunks
	letter, colour := sign(d.Action)
	if d.Action == "unchanged" {
		letter, colour = "=", faint
	}
	g.say("%s %s  %s", g.style(colour, letter), g.style(bold, plain(d.Path)), plain(d.Reason))
	added, removed := 0, 0
	for _, r := range d.Rows {
		if r.New != nil {
			added++
		}
		if r.Old != nil {
			removed++
		}
	}
	counts := []string{plural(c.Total, "passage")}
	for _, n := range []struct {
		n    int
		what string
	}{{added, "added"}, {removed, "removed"}, {c.Total - added - c.Relocate, "kept"}, {c.Relocate, "relocated"}} {
		if n.n > 0 {
			counts = append(counts, number(n.n)+" "+n.what)
		}
	}
	g.say("%s", strings.Join(counts, " · "))
	g.say("%s · %s", toEmbed(c.Embed, c.Tokens, true), priceOf(d.Model, d.Cost, true))
	for _, line := range readingLines(d.Reading) {
		g.say("%s", g.style(amber, plain(line)))
	}
	for _, r := range d.Rows {
		g.printDiffRow(r, limit)
	}
}

func (g *globals) printDiffRow(r api.DiffRow, limit int) {
	switch r.Kind {
	case "kept":
		g.say("  %s", g.style(faint, "= "+plural(r.Count, "passage")+" kept"))
		return
	case "relocated":
		g.say("  %s", g.style(faint, "↦ "+plural(r.Count, "passage")+" relocated: text as before, in another place"))
		return
	}
	var before, after string
	if r.Old != nil {
		before = r.Old.Text
	}
	if r.New != nil {
		after = r.New.Text
	}
	if r.Old != nil && r.New != nil {
		if plain(before) == plain(after) {
			g.say("  %s text as before, its title or headings changed", g.style(amber, passageHead("~", r.New)+":"))
			return
		}
		before, after = contrast(before, after)
	}
	if r.Old != nil {
		head := strings.TrimSpace("− " + plain(r.Old.Location.Label))
		g.printPassage("−", red, head, before, limit)
	}
	if r.New != nil {
		g.printPassage("+", green, passageHead("+", r.New), after, limit)
	}
}

// passageHead is where a passage stands and what it takes.
func passageHead(letter string, p *api.DiffPassage) string {
	head := letter + " "
	if p.Location.Label != "" {
		head += plain(p.Location.Label) + ", "
	}
	if p.Reused {
		return head + "vector at hand"
	}
	return head + plural(p.Tokens, "token")
}

func (g *globals) printPassage(letter, colour, head, text string, limit int) {
	for _, line := range wrap(head, limit-2) {
		g.say("  %s", g.style(colour, line))
	}
	for paragraph := range strings.Lines(text) {
		for _, line := range wrap(plain(paragraph), limit-4) {
			g.say("  %s %s", g.style(colour, letter), line)
		}
	}
}

// contextWords is how many equal words stand before and after a difference.
const contextWords = 8

// contrast shortens what two passages have in common at their beginning and
// end to a few words and a count.
func contrast(before, after string) (string, string) {
	a, b := strings.Fields(before), strings.Fields(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	cut := func(words []string) string {
		end := len(words)
		if more := tail - contextWords; more > 1 {
			end -= more
			words = append(words[:end:end], fmt.Sprintf("… (%s more, as before)", number(more)))
		}
		if less := head - contextWords; less > 1 {
			words = append([]string{fmt.Sprintf("(%s words as before) …", number(less))}, words[less:]...)
		}
		return strings.Join(words, " ")
	}
	return cut(a), cut(b)
}

// wrap breaks a text into lines of at most limit columns, between words where it
// can.
func wrap(text string, limit int) []string {
	limit = max(limit, 2)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch room := limit - columns(line) - 1; {
		case line == "":
		case columns(word) <= room:
			line += " " + word
			continue
		default:
			lines = append(lines, line)
		}
		for columns(word) > limit {
			head := headOf(word, limit)
			lines, word = append(lines, head), word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// columns is how many columns of a terminal a text takes: wide characters take
// two (UAX 11).
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// headOf is the beginning of a text that fits, at least one character.
func headOf(text string, limit int) string {
	n := 0
	for i, r := range text {
		if n += columnsOf(r); n > limit && i > 0 {
			return text[:i]
		}
	}
	return text
}
