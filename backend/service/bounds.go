package service

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/search"
	"ibid/backend/store"
)

func checkQuery(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return invalid("the %s is not valid UTF-8", what)
	case strings.TrimSpace(text) == "":
		return invalid("the %s is empty", what)
	case utf8.RuneCountInString(text) > search.MaxQuery:
		return fmt.Errorf("%w: the %s has %d characters, at most %d", corpus.ErrLimit, what, utf8.RuneCountInString(text), search.MaxQuery)
	}
	return nil
}

func checkK(k int) error {
	if k < 0 || k > search.MaxK {
		return invalid("k is %d; use 1 to %d", k, search.MaxK)
	}
	return nil
}

// checkSearch checks what a request overrides.
func checkSearch(r api.SearchRequest) error {
	switch {
	case !slices.Contains([]string{"", "hybrid", "keyword", "vector"}, r.Mode):
		return invalid("mode %q; use hybrid, keyword or vector", r.Mode)
	case !slices.Contains([]string{"", "convex", "rrf"}, r.Fusion):
		return invalid("fusion %q; use convex or rrf", r.Fusion)
	case r.Weight != nil && !(*r.Weight >= 0 && *r.Weight <= 1): // true for NaN
		return invalid("weight is %v; use 0 to 1", *r.Weight)
	case r.MinScore != nil && (math.IsNaN(*r.MinScore) || math.IsInf(*r.MinScore, 0)):
		return invalid("min_score is not a finite number")
	}
	return cmp.Or(checkK(r.K), checkQuery("query", r.Query))
}

// filter makes a store's filter of a request's: each field equals one of its
// values. Values come as texts; of metadata they may also mean the number or
// the truth value that they spell. A source is what a person calls it.
func filter(fields map[string][]string, sources []corpus.Source) (store.Filter, error) {
	var f store.Filter
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		c := store.Condition{Field: field, Op: store.In}
		switch n := len(fields[field]); {
		case n == 0:
			return nil, invalid("filter on %q without a value", field)
		case n > corpus.MaxFilterValues: // before what the values may also mean is added
			return nil, fmt.Errorf("%w: filter on %q has %d values, at most %d", corpus.ErrLimit, field, n, corpus.MaxFilterValues)
		}
		if field == "after" || field == "before" {
			dated, err := datedFilter(field, fields[field])
			if err != nil {
				return nil, err
			}
			f = append(f, dated)
			continue
		}
		for _, v := range fields[field] {
			switch field {
			case "source":
				s, err := findSource(sources, v)
				if err != nil {
					return nil, err
				}
				v = s.ID.String()
			case "type":
				media := search.MediaTypes(v)
				if len(media) == 0 && strings.Count(v, "/") != 1 {
					return nil, invalid("filter type=%s: there is no such type; use %s, or a media type such as text/plain", v, strings.Join(search.TypeNames(), ", "))
				}
				for _, t := range media {
					c.Values = append(c.Values, t)
				}
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

// datedFilter is a bound on when a document was changed.
func datedFilter(field string, values []string) (store.Condition, error) {
	if len(values) > 1 {
		return store.Condition{}, invalid("filter on %q has %d dates; use one", field, len(values))
	}
	c, ok := search.Dated(field, values[0], nil)
	if !ok {
		return c, invalid("filter %s=%s: not a date; use %s", field, values[0], search.DateForms)
	}
	return c, nil
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
