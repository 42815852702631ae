package office

import (
	"strconv"
	"strings"

	"ibid/backend/extract/xmlwalk"
)

// listLevels is how many levels a list has (ECMA-376 part 1, 17.9.6).
const listLevels = 9

// listLevel is how one level of a list is numbered.
type listLevel struct {
	format string // decimal, bullet, upperRoman …
	text   string // "%1.%2."
	start  int
	style  string // paragraph style that belongs to the level
}

type list struct {
	levels [listLevels]listLevel
	counts *[listLevels]int // shared by lists that continue each other
}

// lists are the document's lists by numId.
type lists map[string]*list

func readLists(p *opc, part string) (lists, error) {
	abstract := map[string]*list{}
	all := lists{}
	err := p.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Name {
			case "abstractNum":
				l := &list{counts: new([listLevels]int)}
				abstract[e.Attr("abstractNumId")] = l
				return readLevels(w, l)
			case "num":
				id := e.Attr("numId")
				return w.Children(func(e xmlwalk.Element) error {
					switch e.Name {
					case "abstractNumId":
						if l := abstract[e.Attr("val")]; l != nil {
							all[id] = &list{levels: l.levels, counts: l.counts}
						}
					case "lvlOverride":
						if l := all[id]; l != nil {
							l.counts = new([listLevels]int) // it starts anew
							return readOverride(w, e, l)
						}
					}
					return nil
				})
			}
			return nil
		})
	})
	return all, err
}

func readLevels(w *xmlwalk.Walker, l *list) error {
	return w.Children(func(e xmlwalk.Element) error {
		if e.Name != "lvl" {
			return nil
		}
		if i := levelOf(e); i >= 0 {
			return readLevel(w, &l.levels[i])
		}
		return nil
	})
}

// levelOf is the level that an element is about, -1 if there is none of its kind.
func levelOf(e xmlwalk.Element) int {
	if i, err := strconv.Atoi(e.Attr("ilvl")); err == nil && i >= 0 && i < listLevels {
		return i
	}
	return -1
}

func readLevel(w *xmlwalk.Walker, level *listLevel) error {
	*level = listLevel{start: 1, format: "decimal"}
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "start":
			level.start, _ = strconv.Atoi(e.Attr("val"))
		case "numFmt":
			level.format = e.Attr("val")
		case "lvlText":
			level.text = e.Attr("val")
		case "pStyle":
			level.style = e.Attr("val")
		}
		return nil
	})
}

func readOverride(w *xmlwalk.Walker, e xmlwalk.Element, l *list) error {
	i := levelOf(e)
	if i < 0 {
		return nil
	}
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "startOverride":
			l.levels[i].start, _ = strconv.Atoi(e.Attr("val"))
		case "lvl":
			return readLevel(w, &l.levels[i])
		}
		return nil
	})
}

// next counts one paragraph and returns its depth and the marker before its
// text: "-" for bullets, "" for lists that show none. ok is false outside of
// lists.
func (ls lists) next(n numbering) (depth int, marker string, ok bool) {
	l := ls[n.list]
	if l == nil {
		return 0, "", false
	}
	depth = n.level
	if depth < 0 {
		depth = 0
		for i, level := range l.levels {
			if level.style != "" && level.style == n.style {
				depth = i
			}
		}
	}
	depth = min(depth, listLevels-1)
	count := func(i int) int { return l.levels[i].start + max(l.counts[i], 1) - 1 }
	l.counts[depth]++
	for i := depth + 1; i < listLevels; i++ {
		l.counts[i] = 0
	}
	if l.levels[depth].format == "bullet" {
		return depth, "-", true
	}
	marker = l.levels[depth].text
	for i := range depth + 1 {
		place := "%" + strconv.Itoa(i+1)
		if strings.Contains(marker, place) {
			marker = strings.ReplaceAll(marker, place, ordinal(l.levels[i].format, count(i)))
		}
	}
	return depth, strings.TrimSpace(marker), true
}

// ordinal writes a number in one of the formats that matter; others as digits.
func ordinal(format string, n int) string {
	switch format {
	case "none":
		return ""
	case "lowerLetter":
		return strings.ToLower(letters(n))
	case "upperLetter":
		return letters(n)
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	}
	return strconv.Itoa(n)
}

// letters counts A … Z, AA, BB … as word processors do.
func letters(n int) string {
	if n < 1 || n > 26*10 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, d := range []struct {
		value int
		sign  string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for ; n >= d.value; n -= d.value {
			b.WriteString(d.sign)
		}
	}
	return b.String()
}
