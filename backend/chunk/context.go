package chunk

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// plan decides which headings go into a section's chunks: the innermost that,
// with the title, fit into a quarter of the size.
func (d *divider) plan(s *section) {
	if s.planned {
		return
	}
	s.planned = true
	s.tokens = d.titleTokens
	if !d.breadcrumb {
		return
	}
	path := s.path
	if len(path) > 0 && d.heading != "" && oneLine(path[0]) == d.heading {
		path = path[1:]
	}
	room := d.target / 4
	for _, h := range slices.Backward(path) {
		h = oneLine(h)
		if len(s.crumb) == 0 {
			h = d.shorten(h, room-s.tokens-1)
		}
		if h == "" {
			continue
		}
		n := d.measureTo(h, room) + 1 // the sign between two headings
		if s.tokens+n > room {
			break
		}
		s.tokens += n
		s.crumb = append(s.crumb, h)
	}
	slices.Reverse(s.crumb)
}

// shorten returns s if it has at most this many tokens, else its first words
// with an ellipsis, else nothing.
func (d *divider) shorten(s string, most int) string {
	if most <= 0 || s == "" {
		return ""
	}
	if d.measureTo(s, most) <= most {
		return s
	}
	end := min(len(s), most*bytesPerToken)
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	marks := words(s, 0, end, nil)
	if len(marks) == 0 {
		marks = pieces(s, 0, end, nil)
	}
	short := func(i int) string { return strings.TrimSpace(s[:marks[i].pos]) + "…" }
	n := sort.Search(len(marks), func(i int) bool { return d.measure(short(i)) > most })
	if n == 0 {
		return ""
	}
	return short(n - 1)
}
