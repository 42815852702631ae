package chunk

import (
	"strings"
	"unicode"
)

// rankBoundaries settles the strengths: no short rests, and some boundaries
// that are always cut.
func (d *divider) rankBoundaries() {
	room := max(1, d.target-d.special-d.titleTokens-d.overlap)
	short := room / 3
	d.weaken(short)
	d.anchor(max(1, room*3/5), short)
}

// weaken lowers boundaries that would leave a rest of less than short tokens
// before the next section or the end, or that part an announcement from what
// it announces.
func (d *divider) weaken(short int) {
	section, part := d.tokens, d.tokens // where the next ones start
	for i := len(d.units) - 2; i > 0; i-- {
		u := &d.units[i]
		at := u.before
		switch {
		case u.level == levelPart:
			section, part = at, at
		case u.level >= levelSection:
			section = at
			if part-at < short {
				u.level = levelWeak
			}
		case u.level > levelWeak && (section-at < short || announces(d.text[d.units[i-1].start:u.start])):
			u.level = levelWeak
		}
	}
}

// announces reports whether text ends in a colon.
func announces(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// anchor finds the boundaries that are the strongest within radius tokens to
// both sides, and weakens those shortly before them. Their places depend on
// the text around them and not on other cuts, so that the effect of an edit
// ends at the next one at the latest (the local maximum method: Bjørner,
// Blass, Gurevich, "Content-dependent chunking for differential compression",
// 2010).
func (d *divider) anchor(radius, short int) {
	last := len(d.units) - 1
	var best []int // the units within radius, without those that a later one beats
	for i, next := 1, 1; i < last; i++ {
		at := d.units[i].before
		for ; next < last && d.units[next].before-at < radius; next++ {
			for len(best) > 0 && !d.weaker(next, best[len(best)-1]) {
				best = best[:len(best)-1]
			}
			best = append(best, next)
		}
		for at-d.units[best[0]].before >= radius {
			best = best[1:]
		}
		d.units[i].anchor = best[0] == i && at >= short && d.tokens-at >= short
	}
	next := d.tokens
	for i := last - 1; i > 0; i-- {
		if u := &d.units[i]; u.anchor || u.level == levelPart {
			next = u.before
		} else if next-u.before < short {
			u.level = min(u.level, levelWeak)
		}
	}
}
