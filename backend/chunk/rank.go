package chunk

import (
	"strings"
	"unicode"
)

// rankBoundaries lowers the strength of boundaries at which a chunk should not
// end although they are natural.
func (d *divider) rankBoundaries() {
	room := max(1, d.target-d.special-d.titleTokens-d.overlap)
	short := room / 3
	d.weaken(short)
	d.clear(d.winners(max(1, room*2/3)), short)
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
				u.level = lowered(u.level)
			}
		case section-at < short || u.level > levelWeak && announces(d.text[d.units[i-1].start:u.start]):
			u.level = lowered(u.level)
		}
	}
}

// lowered is the strength of a boundary that is better avoided: a sentence is
// still not cut instead.
func lowered(l level) level {
	switch {
	case l == levelPart:
		return l
	case l >= levelWeak:
		return levelWeak
	}
	return levelGlue
}

// announces reports whether text ends in a colon.
func announces(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// winners returns the units whose boundaries are the strongest within radius
// tokens to both sides. They depend on the text around them and not on other
// cuts (the local maximum method: Bjørner, Blass, Gurevich, "Content-dependent
// chunking for differential compression", 2010).
func (d *divider) winners(radius int) []int {
	last := len(d.units) - 1
	var won []int
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
		if best[0] == i {
			won = append(won, i)
		}
	}
	return won
}

// clear weakens the boundaries less than short tokens before a winner: a chunk
// that starts a third of the size or more before a winner ends there, and the
// effect of an edit with it.
func (d *divider) clear(winners []int, short int) {
	for _, w := range winners {
		for i := w - 1; i > 0 && d.units[w].before-d.units[i].before < short; i-- {
			d.units[i].level = lowered(d.units[i].level)
		}
	}
}
