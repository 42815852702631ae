package service

import (
	"fmt"
	"strconv"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

func location(l corpus.Location) api.Location {
	return api.Location{
		Start: l.Start, End: l.End,
		Page: l.Page, PageEnd: l.PageEnd,
		Headings:  l.Headings,
		LineStart: l.LineStart, LineEnd: l.LineEnd,
		Sheet: l.Sheet, RowStart: l.RowStart, RowEnd: l.RowEnd,
		Slide: l.Slide,
		Label: label(l.Anchor),
	}
}

// label names a place for people, in the original's own terms: "p. 12",
// "lines 40–52 · Deposits", "Q1, rows 2–9", "slide 4", "§ Deposits".
func label(a corpus.Anchor) string {
	heading := ""
	if n := len(a.Headings); n > 0 {
		heading = a.Headings[n-1]
	}
	place := ""
	switch {
	case a.Page > 0:
		place = numbers("p. ", "pp. ", a.Page, a.PageEnd)
		if a.PageLabel != "" {
			place += " (" + a.PageLabel + ")"
		}
	case a.Slide > 0:
		place = "slide " + strconv.Itoa(a.Slide)
	case a.Sheet != "" && a.RowStart > 0:
		place = a.Sheet + ", " + numbers("row ", "rows ", a.RowStart, a.RowEnd)
	case a.Sheet != "":
		place = a.Sheet
	case a.RowStart > 0:
		place = numbers("row ", "rows ", a.RowStart, a.RowEnd)
	case a.LineStart > 0:
		place = numbers("line ", "lines ", a.LineStart, a.LineEnd)
	case heading != "":
		return "§ " + heading
	}
	if heading != "" && heading != a.Sheet {
		place += " · " + heading
	}
	return place
}

func numbers(one, several string, start, end int) string {
	if end <= start {
		return one + strconv.Itoa(start)
	}
	return fmt.Sprintf("%s%d–%d", several, start, end)
}
