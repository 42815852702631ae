package chunk

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
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

// crumb returns the breadcrumb of a chunk that starts in a region: that of the
// region's section, or, where units of a program share a chunk, of what they
// all stand in.
func (d *divider) crumb(region, end int) []string {
	s := d.regions[region].section
	if !d.grammar.units {
		return s.crumb
	}
	path := s.path
	for i := region + 1; i < len(d.regions) && d.regions[i].start < end; i++ {
		other := d.regions[i].section.path
		n := 0
		for n < min(len(path), len(other)) && path[n] == other[n] {
			n++
		}
		path = path[:n]
	}
	if len(path) == len(s.path) {
		return s.crumb
	}
	shared := section{path: path}
	d.plan(&shared)
	if shared.tokens > s.tokens {
		return nil // an outer name that is longer than all that was planned for
	}
	return shared.crumb
}

// place returns the headings that a chunk stands under, those included with
// which it begins.
func (d *divider) place(region, start, end int) []string {
	r := &d.regions[region]
	path := r.section.path
	if r.block.Kind != corpus.BlockHeading || start > r.block.Start {
		return path
	}
	for i := region; i < len(d.regions) && d.regions[i].start < end; i++ {
		r := &d.regions[i]
		switch {
		case i > region && r.level != levelGlue && r.block.Kind == corpus.BlockHeading:
			return path
		case r.block.Kind != corpus.BlockHeading:
			return r.section.path
		}
		path = r.section.path
		if title := oneLine(r.block.Title); title != "" {
			path = append(slices.Clip(path), title)
		}
	}
	return path
}
