package chunk

import (
	"fmt"
	"strings"

	"ibid/backend/corpus"
)

// Rules are what a person may set for a source or a glob. The zero value
// leaves everything to the document.
type Rules struct {
	Strategy   string // one of Strategies; "" or Auto: the document decides
	Target     int    // 0: the strategy's
	Overlap    *int
	Breadcrumb *bool
}

// Auto is the name of no strategy: the document decides.
const Auto = "auto"

// MaxTarget is the largest size that rules may ask for.
const MaxTarget = 8192

// Strategies returns every strategy.
func Strategies() []Strategy {
	return []Strategy{
		Markdown(), Contract(), Sentence(), QA(), Code(), Slides(), Rows(),
		Catalogue(), Fixed(), Recursive(), Token(), Character(),
	}
}

// Names returns the names of all strategies.
func Names() []string {
	var names []string
	for _, s := range Strategies() {
		names = append(names, s.name)
	}
	return names
}

// Validate reports rules that name no strategy or break a bound as
// corpus.ErrInvalid.
func (r Rules) Validate() error {
	if r.Strategy != "" && r.Strategy != Auto {
		if _, err := byName(r.Strategy); err != nil {
			return err
		}
	}
	switch {
	case r.Target < 0:
		return fmt.Errorf("%w: chunk size %d is not positive", corpus.ErrInvalid, r.Target)
	case r.Target > MaxTarget:
		return fmt.Errorf("%w: chunk size %d; use at most %d", corpus.ErrInvalid, r.Target, MaxTarget)
	case r.Overlap != nil && *r.Overlap < 0:
		return fmt.Errorf("%w: overlap %d is negative", corpus.ErrInvalid, *r.Overlap)
	}
	return nil
}

// options returns a strategy's options under the rules, without Limit and
// Count.
func (r Rules) options(s Strategy) Options {
	opt := s.Options()
	if r.Target > 0 {
		opt.Target = r.Target
		opt.Overlap = s.overlap * r.Target / s.target
	}
	if r.Overlap != nil {
		opt.Overlap = *r.Overlap
	}
	if r.Breadcrumb != nil {
		opt.Breadcrumb = *r.Breadcrumb
	}
	return opt
}

func byName(name string) (Strategy, error) {
	for _, s := range Strategies() {
		if s.name == name {
			return s, nil
		}
	}
	return Strategy{}, fmt.Errorf("%w: chunking strategy %q; use one of %s",
		corpus.ErrInvalid, name, strings.Join(Names(), ", "))
}
