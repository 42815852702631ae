package chunk

import (
	"fmt"
	"strings"

	"ibid/backend/corpus"
)

// Rules are what a person may set for a source or a glob. The zero value
// leaves everything to the document's type.
type Rules struct {
	Strategy   string // one of Strategies
	Target     int    // 0: the strategy's
	Overlap    *int
	Breadcrumb *bool
}

// Strategies returns every strategy.
func Strategies() []Strategy {
	return []Strategy{Markdown(), Sentence(), Fixed(), Recursive()}
}

// For chooses the strategy and options for a document of a media type. Limit
// and Count are the embedding model's and left to the caller. Rules that name
// no strategy or break a bound fail with corpus.ErrInvalid.
func For(mediaType string, r Rules) (Strategy, Options, error) {
	s := byType(mediaType)
	if r.Strategy != "" {
		var err error
		if s, err = byName(r.Strategy); err != nil {
			return Strategy{}, Options{}, err
		}
	}
	opt := s.Options()
	if r.Target < 0 {
		return Strategy{}, Options{}, fmt.Errorf("%w: chunk size %d is not positive", corpus.ErrInvalid, r.Target)
	}
	if r.Target > 0 {
		opt.Target = r.Target
		opt.Overlap = s.overlap * r.Target / s.target
	}
	if r.Overlap != nil {
		if *r.Overlap < 0 {
			return Strategy{}, Options{}, fmt.Errorf("%w: overlap %d is negative", corpus.ErrInvalid, *r.Overlap)
		}
		opt.Overlap = *r.Overlap
	}
	if r.Breadcrumb != nil {
		opt.Breadcrumb = *r.Breadcrumb
	}
	return s, opt, nil
}

func byName(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	return Strategy{}, fmt.Errorf("%w: chunking strategy %q; use one of %s",
		corpus.ErrInvalid, name, strings.Join(names, ", "))
}

// byType: formats with headings are divided by them, rows by rows, running
// text by sentences, anything else recursively.
func byType(mediaType string) Strategy {
	t, _, _ := strings.Cut(mediaType, ";")
	switch strings.ToLower(strings.TrimSpace(t)) {
	case "text/markdown", "text/html", "application/xhtml+xml", "application/epub+zip",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.oasis.opendocument.text":
		return Markdown()
	case "text/plain", "application/pdf", "application/rtf", "text/rtf", "message/rfc822":
		return Sentence()
	case "text/csv", "text/tab-separated-values",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.oasis.opendocument.spreadsheet":
		return Fixed()
	}
	return Recursive()
}
