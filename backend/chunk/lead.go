package chunk

import (
	"fmt"
	"strings"

	"ibid/backend/corpus"
)

// lead finds lines that stand above what follows although no block says so:
// questions above their answers, titles of clauses. It gets a text from the
// start of a line on and returns how many bytes the lead takes and what names
// it; 0 for none. It is called once a line and looks at no more than the first
// maxLead bytes.
type lead func(text string) (length int, title string)

// maxLead is the longest lead in bytes; what is longer is running text.
const maxLead = 300

// entitle divides the prosaic regions at their leads, which become headings of
// the lowest level, and marks the headings that are leads themselves. Each lead
// counts as a block, of which a document may have only so many.
func entitle(text string, regions []region, find lead) ([]region, error) {
	out := make([]region, 0, len(regions))
	for _, r := range regions {
		b := *r.block
		switch {
		case b.Kind == corpus.BlockHeading:
			n, _ := find(oneLine(b.Title))
			r.lead = n > 0
			out = append(out, r)
		case prosaic(b.Kind):
			out = divideAtLeads(text, r, find, out)
		default:
			out = append(out, r)
		}
		if len(out) > corpus.MaxBlocks {
			return nil, fmt.Errorf("%w: it has more than %d paragraphs, questions and clauses; divide it into several files",
				corpus.ErrLimit, corpus.MaxBlocks)
		}
	}
	return out, nil
}

// divideAtLeads appends a region's parts: leads, and what stands between them;
// not those that are too many.
func divideAtLeads(text string, r region, find lead, out []region) []region {
	b := *r.block
	from := r.start // of the part being gathered
	part := func(to, end int) {
		if from < to && hasWord(text[from:to]) {
			rest := b
			rest.Start, rest.End = max(from, b.Start), end
			out = append(out, region{start: from, end: to, block: &rest})
			from = to
		}
	}
	for pos := b.Start; pos < b.End && len(out) <= corpus.MaxBlocks; pos = lineAfter(text, pos, b.End) {
		n, title := find(text[pos:b.End])
		if n == 0 || !hasWord(text[pos:pos+n]) {
			continue
		}
		part(pos, pos)
		end := min(b.End, pos+n)
		out = append(out, region{start: from, end: end, lead: true, block: &corpus.Block{
			Kind: corpus.BlockHeading, Level: leadLevel, Start: pos, End: end, Title: title, Anchor: b.Anchor,
		}, made: true})
		from, pos = end, end-1
	}
	switch {
	case from == r.start:
		out = append(out, r)
	case from < r.end:
		if hasWord(text[from:r.end]) {
			part(r.end, b.End)
		} else {
			out[len(out)-1].end = r.end
		}
	}
	return out
}

// leadLevel is the level of a lead as a heading.
const leadLevel = 6

// lineAfter returns where the line after the one with pos starts, at most end.
func lineAfter(text string, pos, end int) int {
	if i := strings.IndexByte(text[pos:end], '\n'); i >= 0 {
		return pos + i + 1
	}
	return end
}

// partAtLeads makes every lead start a chunk, with the headings above it that
// have no text of their own, and so the heading that ends what a lead leads.
func partAtLeads(regions []region) {
	title := func(i int) bool { return regions[i].block.Kind == corpus.BlockHeading && !regions[i].lead }
	led := regions[0].lead
	for i := 1; i < len(regions); i++ {
		r := &regions[i]
		switch {
		case r.lead && title(i-1):
			first := i - 1
			for first > 0 && title(first-1) {
				first--
			}
			r.level = levelGlue
			if first > 0 {
				regions[first].level = levelPart
			}
		case r.lead, led && title(i):
			r.level = levelPart
		}
		if r.lead || title(i) {
			led = r.lead
		}
	}
}

// bare is a line without the marks of Markdown, a list's sign or a number at
// its start.
func bare(line string) string {
	line = strings.TrimSpace(line)
	line = strings.TrimLeft(line, "#>-•–* _\t")
	if i := strings.IndexAny(line, ".) "); i > 0 && i <= 4 && strings.Trim(line[:i], "0123456789") == "" {
		line = line[i+1:]
	}
	return strings.Trim(line, "*_ \t")
}

// firstLine is the first line of a text without its line end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
