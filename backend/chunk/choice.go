package chunk

import (
	"fmt"
	"slices"
	"strings"

	"ibid/backend/corpus"
)

// Choice is how a document is to be divided, as far as its type and the rules
// tell. Where they leave it open, its text decides: see Decide.
type Choice struct {
	rules Rules
	base  Strategy
	open  bool
	why   string
}

// Decision is the strategy for one document.
type Decision struct {
	Strategy Strategy
	Options  Options // without Limit and Count
	Reason   string  // why this one, in words: "most headings are questions"
}

// For chooses by a document's media type. Rules that name no strategy or break
// a bound fail with corpus.ErrInvalid.
func For(mediaType string, r Rules) (Choice, error) {
	if err := r.Validate(); err != nil {
		return Choice{}, err
	}
	if r.Strategy != "" && r.Strategy != Auto {
		s, err := byName(r.Strategy)
		return Choice{rules: r, base: s, why: "set by a rule"}, err
	}
	c := byType(mediaType)
	c.rules = r
	return c, nil
}

// byType: formats with headings are divided by them, running text by sentences,
// rows by rows, programs by functions, slides by slides, anything else
// recursively.
func byType(mediaType string) Choice {
	t, _, _ := strings.Cut(mediaType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	switch t {
	case "text/markdown", "text/html", "application/xhtml+xml", "application/epub+zip",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.oasis.opendocument.text":
		return Choice{base: Markdown(), open: true, why: "documents of this type have headings"}
	case "text/plain", "application/pdf", "application/rtf", "text/rtf", "message/rfc822", "application/mbox":
		return Choice{base: Sentence(), open: true, why: "running text without headings"}
	case "application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.oasis.opendocument.presentation":
		return Choice{base: Slides(), why: "a presentation"}
	case "text/csv", "text/tab-separated-values",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.oasis.opendocument.spreadsheet":
		return Choice{base: Rows(), why: "rows of a sheet"}
	case "application/json": // of notebooks, too
		return Choice{base: Code(), open: true, why: "structured data"}
	case "application/yaml", "application/toml":
		return Choice{base: Code(), why: "structured data"}
	}
	if strings.HasPrefix(t, "text/x-") {
		return Choice{base: Code(), why: "source code"}
	}
	return Choice{base: Recursive(), why: "text of unknown make"}
}

// autoVersion is raised whenever Decide may choose otherwise for the same
// document.
const autoVersion = 1

// alternatives are the strategies that a text may decide for.
func (c Choice) alternatives() []Strategy {
	list := []Strategy{c.base}
	if c.open {
		for _, s := range []Strategy{Markdown(), QA(), Contract(), Catalogue()} {
			if s.name != c.base.name {
				list = append(list, s)
			}
		}
	}
	return list
}

// Recipe names everything here that decides about the chunks of a document, for
// corpus.Document.Recipe: equal recipes give equal chunks of equal extractions,
// as long as the model's limit and its Count are the same.
func (c Choice) Recipe(limit int) string {
	opt := c.rules.options(c.base)
	opt.Limit = limit
	recipe := c.base.Recipe(opt)
	if !c.open {
		return recipe
	}
	others := make([]string, 0, 4)
	for _, s := range c.alternatives()[1:] {
		others = append(others, fmt.Sprintf("%s/%d", s.name, s.version))
	}
	return fmt.Sprintf("%s, auto/%d: %s", recipe, autoVersion, strings.Join(others, " "))
}

// Decide returns the strategy for a document. It looks at structure alone: how
// many headings are questions, how many lines name clauses, how much of the
// text stands in tables.
func (c Choice) Decide(doc *corpus.Extraction) Decision {
	s, why := c.base, c.why
	if c.open {
		if name, reason := inspect(doc).verdict(c.base.name); name != "" {
			i := slices.IndexFunc(c.alternatives(), func(s Strategy) bool { return s.name == name })
			s, why = c.alternatives()[i], reason
		}
	}
	return Decision{Strategy: s, Options: c.rules.options(s), Reason: why}
}

// features are what a text tells about its kind.
type features struct {
	bytes     int
	tables    int // bytes in tables
	parts     int // headings and paragraphs
	headings  int
	questions int
	clauses   int // titles of clauses in the words of law
	numbered  int // paragraphs such as "3.2 The Supplier …"
}

// maxInspected bounds the text that is looked at: a document says what it is on
// its first pages.
const maxInspected = 200_000

// inspect counts what decides.
func inspect(doc *corpus.Extraction) features {
	var f features
	if !hasWord(doc.Text) {
		return f
	}
	for _, r := range cover(doc) {
		b := r.block
		if b.Start > maxInspected {
			break
		}
		size := b.End - b.Start
		f.bytes += size
		switch {
		case b.Kind == corpus.BlockTable:
			f.tables += size
			continue
		case b.Kind == corpus.BlockHeading:
			f.headings++
			f.parts++
			title := oneLine(b.Title)
			if n, _ := question(title); n > 0 {
				f.questions++
			}
			if named.MatchString(bareTitle(title)) {
				f.clauses++
			}
			continue
		case !prosaic(b.Kind):
			continue
		}
		f.parts++
		for pos := b.Start; pos < b.End; pos = lineAfter(doc.Text, pos, b.End) {
			text := doc.Text[pos:b.End]
			line := bareTitle(firstLine(text[:min(len(text), maxLead)]))
			if n, _ := question(text); n > 0 {
				f.questions++
			}
			if n, _ := clause(text); n > 0 && named.MatchString(line) {
				f.clauses++
			}
			if len(line) >= longNumbered && paragraphed.MatchString(line) {
				f.numbered++
			}
		}
	}
	return f
}

// Shares and numbers from which on a feature decides.
const (
	fewQuestions = 3 // and every third part
	fewClauses   = 4
	fewNumbered  = 8  // and every third part
	longNumbered = 50 // bytes; a shorter one is a heading
	fewHeadings  = 3  // in formats that need have none
	fewTables    = 1000
)

// verdict returns the strategy that the features speak for, and why; "" if they
// speak for none but base.
func (f features) verdict(base string) (name, why string) {
	switch {
	case base == "code":
		if f.parts > 0 {
			return "markdown", "texts and code of a notebook"
		}
	case f.questions >= fewQuestions && 3*f.questions >= f.parts:
		return "qa", fmt.Sprintf("%d questions with their answers", f.questions)
	case f.clauses >= fewClauses && 8*f.clauses >= f.parts:
		return "contract", fmt.Sprintf("%d clauses", f.clauses)
	case f.numbered >= fewNumbered && 3*f.numbered >= f.parts:
		return "contract", fmt.Sprintf("%d numbered paragraphs", f.numbered)
	case f.tables >= fewTables && 10*f.tables >= 7*f.bytes:
		return "catalogue", "most of the text stands in tables"
	case base != "markdown" && f.headings >= fewHeadings:
		return "markdown", fmt.Sprintf("%d headings", f.headings)
	}
	return "", ""
}
