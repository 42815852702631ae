package cli

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"ibid/backend/api"
)

// statusLine is one line at the bottom of a terminal; elsewhere it is silent.
type statusLine struct {
	g     *globals
	on    bool
	drawn bool
}

func newStatusLine(g *globals) *statusLine {
	return &statusLine{g: g, on: !g.json && !g.quiet && isTerminal(g.streams.Err)}
}

func (l *statusLine) show(text string) {
	if !l.on || text == "" {
		return
	}
	width := 80
	if f, ok := l.g.streams.Err.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 10 {
			width = w
		}
	}
	if r := []rune(text); len(r) >= width {
		text = string(r[:width-2]) + "…"
	}
	fmt.Fprintf(l.g.streams.Err, "\r\x1b[K%s", text)
	l.drawn = true
}

func (l *statusLine) clear() {
	if l.drawn {
		fmt.Fprint(l.g.streams.Err, "\r\x1b[K")
	}
}

// progressText says what a run is doing: a bar, the counts, the rate, what is left.
func progressText(p api.Progress) string {
	done, of, noun := p.Documents, p.DocumentsOf, "documents"
	if p.Stage == "embed" && p.ChunksOf > 0 {
		done, of, noun = p.Chunks, p.ChunksOf, "passages"
	}
	if of == 0 {
		return strings.TrimSpace(p.Stage+"  "+plain(p.Current)) + still(p)
	}
	const width = 20
	filled := min(width, width*done/of)
	parts := []string{
		fmt.Sprintf("%s%s %s/%s %s", strings.Repeat("█", filled), strings.Repeat("░", width-filled), number(done), number(of), noun),
	}
	if p.ChunksPerSec > 0 {
		parts = append(parts, fmt.Sprintf("%.0f/s", p.ChunksPerSec))
	}
	if p.SecondsToGo > 0 {
		parts = append(parts, duration(p.SecondsToGo)+" to go")
	}
	if p.Current != "" {
		parts = append(parts, plain(p.Current))
	}
	return strings.Join(parts, " · ") + still(p)
}

// still says that nothing moves, if that is so.
func still(p api.Progress) string {
	if p.SecondsStill == 0 {
		return ""
	}
	return " · nothing has moved for " + duration(p.SecondsStill)
}
