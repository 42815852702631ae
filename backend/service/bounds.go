package service

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Bounds of a request, checked before any I/O (E6).
const (
	maxQuery = 16_384 // characters
	maxK     = 100
)

func checkQuery(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return invalid("the %s is not valid UTF-8", what)
	case strings.TrimSpace(text) == "":
		return invalid("the %s is empty", what)
	case utf8.RuneCountInString(text) > maxQuery:
		return fmt.Errorf("%w: the %s has %d characters, at most %d", corpus.ErrLimit, what, utf8.RuneCountInString(text), maxQuery)
	}
	return nil
}

// overrides are a request's values; a zero or nil one leaves the default.
type overrides struct {
	k            int
	mode, fusion string
	weight       *float64
}

// over lays a request's values over the defaults and checks them.
func (o overrides) over(d config.Search) (config.Search, error) {
	switch {
	case o.k < 0 || o.k > maxK:
		return d, invalid("k is %d; use 1 to %d", o.k, maxK)
	case !slices.Contains([]string{"", "hybrid", "keyword", "vector"}, o.mode):
		return d, invalid("mode %q; use hybrid, keyword or vector", o.mode)
	case !slices.Contains([]string{"", "convex", "rrf"}, o.fusion):
		return d, invalid("fusion %q; use convex or rrf", o.fusion)
	case o.weight != nil && !(*o.weight >= 0 && *o.weight <= 1): // true for NaN
		return d, invalid("weight is %v; use 0 to 1", *o.weight)
	}
	if o.k > 0 {
		d.K = o.k
	}
	if o.mode != "" {
		d.Mode = o.mode
	}
	if o.fusion != "" {
		d.Fusion = o.fusion
	}
	if o.weight != nil {
		d.Weight = *o.weight
	}
	return d, nil
}

func checkScore(min *float64) error {
	if min != nil && (math.IsNaN(*min) || math.IsInf(*min, 0)) {
		return invalid("min_score is not a finite number")
	}
	return nil
}

// filter makes a store's filter of a request's: each field equals one of its
// values. Values come as texts; of metadata they may also mean the number or
// the truth value that they spell. A source is what a person calls it.
func filter(fields map[string][]string, sources []corpus.Source) (store.Filter, error) {
	var f store.Filter
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		c := store.Condition{Field: field, Op: store.In}
		if len(fields[field]) == 0 {
			return nil, invalid("filter on %q without a value", field)
		}
		for _, v := range fields[field] {
			if field == "source" {
				s, err := findSource(sources, v)
				if err != nil {
					return nil, err
				}
				v = s.ID.String()
			}
			c.Values = append(c.Values, v)
			if !store.IsRecordField(field) {
				c.Values = append(c.Values, meanings(v)...)
			}
		}
		f = append(f, c)
	}
	return f, f.Validate()
}

// meanings are the other values of metadata that a text may spell.
func meanings(text string) []any {
	switch text {
	case "true":
		return []any{true}
	case "false":
		return []any{false}
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
		return []any{n}
	}
	return nil
}
