package sqlite

import (
	"context"
	"slices"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite/bitset"
)

// filtered returns the rows of the documents that pass the filter, nil if all do.
func filtered(ctx context.Context, t *tx, tenant corpus.ID, f store.Filter) (*bitset.Set, error) {
	if len(f) == 0 {
		return nil, nil
	}
	q := &predicate{tenant: tenant[:]}
	// Few documents have a wanted value: SQLite is to begin with these, not
	// with the tenant's, and the plus keeps it from the index of the latter.
	plus := ""
	if slices.ContainsFunc(f, func(c store.Condition) bool { return !store.IsRecordField(c.Field) && c.Op != store.Not }) {
		plus = "+"
	}
	q.write("SELECT d.num FROM documents d WHERE " + plus + "d.tenant = ").value(q.tenant)
	for _, c := range f {
		q.write(" AND ")
		if err := q.condition(c); err != nil {
			return nil, err
		}
	}
	set := &bitset.Set{}
	err := t.eachOnce(ctx, q.text.String(), q.args, func(scan func(...any) error) error {
		var num uint64
		err := scan(&num)
		set.Add(num)
		return err
	})
	return set, err
}

// predicate is SQL under construction. Nothing of a condition but its values
// and metadata keys leaves this file's own texts, and those are bound.
type predicate struct {
	tenant []byte
	text   strings.Builder
	args   []any
}

func (q *predicate) write(s string) *predicate { q.text.WriteString(s); return q }

func (q *predicate) value(v any) *predicate {
	q.args = append(q.args, v)
	return q.write("?")
}

// columns are the expressions of the record's fields; ids compare as text.
var columns = map[string]string{
	"source":   uuidText("d.source"),
	"document": uuidText("d.id"),
	"path":     "d.path",
	"type":     "d.type",
	"title":    "d.title",
	"language": "d.language",
	"modified": "d.modified",
	"indexed":  "d.indexed_at",
}

func uuidText(column string) string {
	h := "lower(hex(" + column + "))"
	return "substr(" + h + ",1,8)||'-'||substr(" + h + ",9,4)||'-'||substr(" + h + ",13,4)||'-'||substr(" + h + ",17,4)||'-'||substr(" + h + ",21)"
}

func (q *predicate) condition(c store.Condition) error {
	if !store.IsRecordField(c.Field) {
		in := " IN"
		if c.Op == store.Not {
			in = " NOT IN"
		}
		q.write("d.num" + in + " (SELECT f.document FROM fields f WHERE f.tenant = ").value(q.tenant).write(" AND f.key = ").value(c.Field).write(" AND ")
		q.compare("f.value", c)
		q.write(")")
		return nil
	}
	if store.IsTimeField(c.Field) {
		values := make([]any, len(c.Values))
		for i, v := range c.Values {
			if v == nil {
				continue
			}
			micro, err := store.Instant(v)
			if err != nil {
				return err
			}
			values[i] = micro
		}
		c.Values = values
	} else if c.Op != store.Range {
		c.Values = texts(c.Values)
	}
	if (c.Field == "source" || c.Field == "document") && c.Op != store.Prefix && c.Op != store.Range {
		if column, ids := "d."+c.Field, binaryIDs(c.Values); ids != nil { // by index
			if c.Field == "document" {
				column = "d.id"
			}
			c.Values = ids
			q.negatable(column, c)
			return nil
		}
	}
	q.negatable(columns[c.Field], c)
	return nil
}

// texts drops what a text column cannot equal: SQLite would turn a number into
// text before it compares.
func texts(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { _, ok := v.(string); return !ok })
}

// binaryIDs parses ids; nil if one is none, so that it can equal nothing.
func binaryIDs(values []any) []any {
	ids := make([]any, len(values))
	for i, v := range values {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		x, err := corpus.ParseID(s)
		if err != nil || x.String() != s {
			return nil
		}
		ids[i] = x[:]
	}
	return ids
}

func (q *predicate) negatable(column string, c store.Condition) {
	if c.Op == store.Not {
		q.write("NOT ")
	}
	q.write("(")
	q.compare(column, c)
	q.write(")")
}

// compare writes the comparison; Not is written as In, to be negated by the caller.
func (q *predicate) compare(column string, c store.Condition) {
	switch c.Op {
	case store.Eq, store.In, store.Not:
		q.write(column + " IN (")
		for i, v := range c.Values {
			if i > 0 {
				q.write(", ")
			}
			q.value(fieldValue(v))
		}
		q.write(")")
	case store.Prefix:
		text := []byte(c.Values[0].(string))
		q.write("typeof(" + column + ") = 'text'")
		if len(text) == 0 { // substr of an empty BLOB is NULL
			return
		}
		q.write(" AND substr(CAST(" + column + " AS BLOB), 1, ").value(len(text)).write(") = ").value(text)
	case store.Range:
		join := ""
		for i, op := range []string{" >= ", " <= "} {
			v := c.Values[i]
			if v == nil {
				continue
			}
			kind := "('integer', 'real')"
			if _, ok := v.(string); ok {
				kind = "('text')"
			}
			q.write(join + "typeof(" + column + ") IN " + kind + " AND " + column + op).value(v)
			join = " AND "
		}
	}
}
