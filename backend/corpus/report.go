package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// GarbledFrom is the garble score from which on a text, of a page or of all
// pages, is taken for unreadable.
const GarbledFrom = .25

// listedPages is how many page numbers a sentence names.
const listedPages = 10

// Missing says, in words, what of a document was not read as it stands and
// cannot be found: an empty list for all was read.
func (r Report) Missing() []string {
	var list []string
	switch n := len(r.NoTextPages); {
	case n == 0:
	case n == r.Pages:
		list = append(list, fmt.Sprintf("none of the %d pages has text: they need OCR", r.Pages))
	default:
		numbers := make([]string, 0, listedPages)
		for _, p := range r.NoTextPages[:min(n, listedPages)] {
			numbers = append(numbers, strconv.Itoa(p))
		}
		more := ""
		if n > listedPages {
			more = " …"
		}
		list = append(list, fmt.Sprintf("%d of %d pages have no text and need OCR: %s%s", n, r.Pages, strings.Join(numbers, ", "), more))
	}
	if r.Garble >= GarbledFrom {
		list = append(list, fmt.Sprintf("the text is garbled (%.0f %%)", 100*r.Garble))
	}
	return list
}

// HasRemarks reports whether there is anything to say about the reading.
func (r Report) HasRemarks() bool {
	return len(r.NoTextPages) > 0 || r.Garble >= GarbledFrom || r.Hidden > 0 || r.Encoding != "" || len(r.Notes) > 0
}
