package search

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// fields of the query language and the record's fields that they mean.
var fields = map[string]string{
	"path": "path", "title": "title", "type": "type", "lang": "language", "language": "language",
	"source": "source", "after": "modified", "before": "modified",
}

// types are short names of media types.
var types = map[string][]string{
	"pdf":      {"application/pdf"},
	"md":       {"text/markdown"},
	"markdown": {"text/markdown"},
	"txt":      {"text/plain"},
	"text":     {"text/plain"},
	"html":     {"text/html"},
	"csv":      {"text/csv"},
	"tsv":      {"text/tab-separated-values"},
	"json":     {"application/json"},
	"yaml":     {"application/yaml"},
	"docx":     {"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	"xlsx":     {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
	"pptx":     {"application/vnd.openxmlformats-officedocument.presentationml.presentation"},
	"odt":      {"application/vnd.oasis.opendocument.text"},
	"ods":      {"application/vnd.oasis.opendocument.spreadsheet"},
	"odp":      {"application/vnd.oasis.opendocument.presentation"},
	"epub":     {"application/epub+zip"},
	"rtf":      {"application/rtf"},
	"eml":      {"message/rfc822"},
	"mbox":     {"application/mbox"},
	"toml":     {"application/toml"},
	"xml":      {"application/xml"},
	"go":       {"text/x-go"},
	"python":   {"text/x-python"},
	"py":       {"text/x-python"},
	"js":       {"text/x-javascript"},
	"ts":       {"text/x-typescript"},
	"java":     {"text/x-java"},
	"rust":     {"text/x-rust"},
	"c":        {"text/x-c", "text/x-c++"},
	"sql":      {"text/x-sql"},
	"sh":       {"text/x-shell"},
	"word": {
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.oasis.opendocument.text", "application/rtf",
	},
}

// field makes a condition of one of the language's fields, if value fits it.
func (p *parser) field(key, value string, not bool) (c store.Condition, ok bool) {
	field := fields[key]
	switch key {
	case "path", "title":
		if not {
			return anyOf(field, []any{value}, true), true
		}
		return store.Condition{Field: field, Op: store.Prefix, Values: []any{strings.TrimSuffix(value, "*")}}, value != "*"
	case "type":
		media := types[strings.ToLower(value)]
		if strings.Count(value, "/") == 1 {
			media = []string{strings.ToLower(value)}
		}
		return anyOf(field, values(media), not), len(media) > 0
	case "lang", "language":
		value = strings.ToLower(value)
		return anyOf(field, []any{value}, not), len(value) == 2 && isKey(value)
	case "source":
		var ids []string
		for _, s := range p.reading.Sources {
			if strings.EqualFold(s.Name, value) || s.ID.String() == value {
				ids = append(ids, s.ID.String())
			}
		}
		return anyOf(field, values(ids), not), len(ids) > 0
	case "after", "before":
		t, ok := moment(value, p.reading.Zone)
		if !ok || not {
			return c, false
		}
		if key == "after" {
			return store.Condition{Field: field, Op: store.Range, Values: []any{t.UTC().Format(time.RFC3339Nano), nil}}, true
		}
		t = t.Add(-time.Nanosecond)
		return store.Condition{Field: field, Op: store.Range, Values: []any{nil, t.UTC().Format(time.RFC3339Nano)}}, true
	}
	return c, false
}

// sourced reads a path that begins with a source's name.
func (p *parser) sourced(key, value string, not bool) (c []store.Condition, ok bool) {
	name, rest, ok := strings.Cut(value, "/")
	if key != "path" || !ok || not {
		return nil, false
	}
	i := slices.IndexFunc(p.reading.Sources, func(s corpus.Source) bool { return strings.EqualFold(s.Name, name) })
	if i < 0 {
		return nil, false
	}
	p.query.Sourced = true
	if !p.reading.Sourced {
		return nil, false
	}
	// Not In, which would make it one of the choices of a source: in the query.
	c = []store.Condition{{Field: "source", Op: store.Eq, Values: []any{p.reading.Sources[i].ID.String()}}}
	if rest = strings.TrimSuffix(rest, "*"); rest != "" {
		c = append(c, store.Condition{Field: "path", Op: store.Prefix, Values: []any{rest}})
	}
	return c, true
}

// unfit says why a value does not fit a field of the language, "" where there
// is nothing to say.
func (p *parser) unfit(key, value string, not bool) string {
	const words = ": read as words"
	switch key {
	case "type":
		return fmt.Sprintf("there is no type %q%s; types are %s, or a media type such as text/plain", value, words, strings.Join(TypeNames(), ", "))
	case "source":
		names := make([]string, len(p.reading.Sources))
		for i, s := range p.reading.Sources {
			names[i] = s.Name
		}
		return fmt.Sprintf("no source is named %q%s; sources are %s", value, words, listed(names))
	case "lang", "language":
		return fmt.Sprintf("%q is no language%s; a language has two letters, such as de", value, words)
	case "after", "before":
		if not {
			return fmt.Sprintf("a minus before %s: means nothing%s", key, words)
		}
		return fmt.Sprintf("%q is no date%s; use %s", value, words, DateForms)
	}
	return ""
}

// listedNames bounds how many names a note lists.
const listedNames = 20

func listed(names []string) string {
	if len(names) > listedNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listedNames], ", "), len(names)-listedNames)
	}
	return strings.Join(names, ", ")
}

// DateForms says how a date may be written.
const DateForms = "2026, 2026-03, 2026-03-31 or 2026-03-31T12:00:00Z"

// Dated is the condition that a document was changed at or after a date (key
// "after"), or before it ("before"). ok is false for another key, and for a
// text that is no date in one of the DateForms.
func Dated(key, date string, zone *time.Location) (c store.Condition, ok bool) {
	if key != "after" && key != "before" {
		return c, false
	}
	p := parser{reading: Reading{Zone: zone}}
	return p.field(key, date, false)
}

// MediaTypes are the types that a short name such as "pdf" stands for; none if
// it is no such name.
func MediaTypes(name string) []string { return slices.Clone(types[strings.ToLower(name)]) }

// TypeNames are the short names of media types, in order.
func TypeNames() []string { return slices.Sorted(maps.Keys(types)) }

// moment reads a year, month, day or RFC 3339 time and returns its beginning.
func moment(s string, zone *time.Location) (time.Time, bool) {
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006", time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// metadataValues are what a typed value may mean: text never equals a number.
func metadataValues(s string) []any {
	all := []any{s}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n-n == 0 { // finite
		all = append(all, n)
	}
	if s == "true" || s == "false" {
		all = append(all, s == "true")
	}
	return all
}

func anyOf(field string, values []any, not bool) store.Condition {
	op := store.In
	if not {
		op = store.Not
	}
	return store.Condition{Field: field, Op: op, Values: values}
}

func values(texts []string) []any {
	all := make([]any, len(texts))
	for i, s := range texts {
		all[i] = s
	}
	return all
}

// joined makes one condition of those that name the values of one field: any
// of them. Other conditions hold all together.
func joined(conditions []store.Condition) store.Filter {
	var f store.Filter
	for _, c := range conditions {
		i := slices.IndexFunc(f, func(o store.Condition) bool {
			return o.Field == c.Field && o.Op == c.Op && (c.Op == store.In || c.Op == store.Not)
		})
		if i < 0 {
			f = append(f, c)
			continue
		}
		for _, v := range c.Values {
			if !slices.Contains(f[i].Values, v) {
				f[i].Values = append(f[i].Values, v)
			}
		}
	}
	return f
}
