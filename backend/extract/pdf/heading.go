package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headings tells the level of each paragraph that is a heading, 0 for others:
// by the document's outline, or by the size of the letters where there is none.
func headings(list []paragraph, outline []bookmark) []int {
	levels, found := byOutline(list, outline)
	if found >= 2 || found > 0 && found >= len(outline)/2 {
		return levels
	}
	return bySize(list)
}

// byOutline looks for each entry of the outline on its page.
func byOutline(list []paragraph, outline []bookmark) (levels []int, found int) {
	levels = make([]int, len(list))
	onPage := map[int][]int{}
	for i, p := range list {
		onPage[p[0].page] = append(onPage[p[0].page], i)
	}
	for _, b := range outline {
		title := essence(b.title)
		if title == "" {
			continue
		}
		for _, i := range onPage[b.page] {
			if levels[i] == 0 && list[i][0].table == 0 && isTitle(essence(joined(list[i])), title) {
				levels[i] = min(b.level, 6)
				found++
				break
			}
		}
	}
	return levels, found
}

// isTitle reports whether a paragraph is a title of the outline. Either may lack
// the number.
func isTitle(text, title string) bool {
	if len(text) < len(title) {
		text, title = title, text
	}
	more := len(text) - len(title)
	return text == title || strings.HasSuffix(text, title) && more <= 8 && more < len(title) &&
		strings.ContainsFunc(text[:more], unicode.IsDigit)
}

func joined(p paragraph) string {
	var b strings.Builder
	for _, l := range p {
		b.WriteString(l.text)
		if b.Len() > 1000 {
			break
		}
	}
	return b.String()
}

// essence is a text's letters and digits.
func essence(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

const (
	// larger is how much larger than the text a heading is at least.
	larger = 1.15
	// longest and tallest is a heading, in characters and lines.
	longest = 160
	tallest = 3
	// fewest is the share of a document's paragraphs that may be headings:
	// where large letters are common they mean something else.
	fewest = 3
	// maxLevel of headings by size.
	maxLevel = 4
)

// bySize takes short paragraphs in larger or bolder letters than the text's for
// headings.
func bySize(list []paragraph) []int {
	levels := make([]int, len(list))
	body, bold := bodyStyle(list)
	if body == 0 {
		return levels
	}
	sizes, count, all := map[int]bool{}, 0, 0
	for i, p := range list {
		if p[0].table > 0 {
			continue
		}
		all++
		if len(p) <= tallest && stands(p, body, bold) && looksLikeHeading(joined(p)) {
			levels[i] = 1 + max(0, step(smallest(p)/body))
			sizes[levels[i]] = true
			count++
		}
	}
	if count*fewest > all+fewest {
		return make([]int, len(list))
	}
	steps := make([]int, 0, len(sizes))
	for s := range sizes {
		steps = append(steps, s)
	}
	slices.SortFunc(steps, func(a, b int) int { return cmp.Compare(b, a) })
	for i, s := range levels {
		if s > 0 {
			levels[i] = min(maxLevel, slices.Index(steps, s)+1)
		}
	}
	return levels
}

// step is a size on a scale of tenths, so that measuring errors make no levels.
func step(ratio float32) int { return int(math.Round(10 * math.Log2(float64(ratio)) / math.Log2(1.4))) }

// stands reports whether a paragraph stands out from the text: larger, or bold
// as a whole and not smaller.
func stands(p paragraph, body float32, bold bool) bool {
	size := smallest(p)
	return size >= larger*body || !bold && allBold(p) && size > .95*body && !ends(p[len(p)-1].text)
}

func smallest(p paragraph) float32 {
	size := p[0].size
	for _, l := range p {
		size = min(size, l.size)
	}
	return size
}

// bodyStyle is the size of most of the text, and whether it is mostly bold.
func bodyStyle(list []paragraph) (float32, bool) {
	runes, bold, all := map[float32]int{}, 0, 0
	for _, p := range list {
		for _, l := range p {
			n := utf8.RuneCountInString(l.text)
			runes[float32(math.Round(float64(l.size)*2)/2)] += n
			all += n
			if l.bold {
				bold += n
			}
		}
	}
	best, most := float32(0), 0
	for size, n := range runes {
		if n > most || n == most && size < best {
			best, most = size, n
		}
	}
	return best, 2*bold > all
}

func looksLikeHeading(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	n := utf8.RuneCountInString(text)
	return n <= longest && letters >= 2 && 2*letters > n && !startsItem(strings.TrimLeft(text, "0123456789."))
}
