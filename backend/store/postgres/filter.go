package postgres

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// predicate is SQL under construction. Nothing of a condition leaves this
// file's own texts but as an argument.
type predicate struct {
	text strings.Builder
	args []any
}

func (q *predicate) write(parts ...string) *predicate {
	for _, s := range parts {
		q.text.WriteString(s)
	}
	return q
}

// value writes an argument of a type.
func (q *predicate) value(v any, kind string) *predicate {
	q.args = append(q.args, v)
	return q.write("$", strconv.Itoa(len(q.args)), "::", kind)
}

// filtered is the condition that a column holds a document that passes the
// filter, with its arguments after those given; "true" for an empty filter.
func filtered(column string, f store.Filter, tenant corpus.ID, args []any) (string, []any, error) {
	if len(f) == 0 {
		return "true", args, nil
	}
	q := &predicate{args: args}
	q.write(column, " IN (SELECT d.id FROM kb_embeddings_documents d WHERE d.tenant_id = ").value(tenant, "uuid")
	for _, c := range f {
		q.write(" AND ")
		if err := q.condition(c); err != nil {
			return "", nil, err
		}
	}
	q.write(")")
	return q.text.String(), q.args, nil
}

// columnsOfRecord are the expressions of the record's fields; ids compare as text.
var columnsOfRecord = map[string]string{
	"source":   `(d.source::text COLLATE "C")`,
	"document": `(d.id::text COLLATE "C")`,
	"path":     "d.path",
	"type":     "d.type",
	"title":    "d.title",
	"language": "d.language",
	"modified": "d.modified",
	"indexed":  "d.indexed",
}

func (q *predicate) condition(c store.Condition) error {
	for _, v := range c.Values {
		if text, ok := v.(string); ok && !storable(text) {
			return fmt.Errorf("%w: filter on %q has a text that is not UTF-8 without NUL", corpus.ErrInvalid, c.Field)
		}
	}
	if c.Op == store.Not {
		q.write("NOT ")
	}
	if !store.IsRecordField(c.Field) {
		return q.metadata(c)
	}
	column := columnsOfRecord[c.Field]
	if store.IsTimeField(c.Field) {
		return q.instants(column, c)
	}
	switch c.Op {
	case store.Prefix:
		q.write("starts_with(", column, ", ").value(c.Values[0], "text").write(")")
	case store.Range:
		q.bounds(c, func(op string, v any) {
			text, ok := v.(string)
			if !ok {
				q.write("false")
				return
			}
			q.write(column, op).value(text, "text")
		})
	default:
		q.write(column, " = ANY (").value(texts(c.Values), "text[]").write(")")
	}
	return nil
}

func (q *predicate) instants(column string, c store.Condition) error {
	micros := make([]int64, len(c.Values))
	for i, v := range c.Values {
		if v == nil {
			continue
		}
		var err error
		if micros[i], err = store.Instant(v); err != nil {
			return err
		}
	}
	if c.Op != store.Range {
		q.write(column, " = ANY (").value(micros, "bigint[]").write(")")
		return nil
	}
	i := 0
	q.bounds(c, func(op string, _ any) {
		if op == " <= " {
			i = 1
		}
		q.write(column, op).value(micros[i], "bigint")
	})
	return nil
}

// bounds writes the given ends of a range, joined by AND.
func (q *predicate) bounds(c store.Condition, write func(op string, v any)) {
	q.write("(")
	join := ""
	for i, op := range []string{" >= ", " <= "} {
		if c.Values[i] == nil {
			continue
		}
		q.write(join)
		write(op, c.Values[i])
		join = " AND "
	}
	q.write(")")
}

// metadata compares each value of a key: one, or those of a list.
func (q *predicate) metadata(c store.Condition) error {
	q.write("EXISTS (SELECT FROM (SELECT d.metadata -> ").value(c.Field, "text").write(` AS x) AS f, jsonb_array_elements(
		CASE jsonb_typeof(f.x) WHEN 'array' THEN f.x ELSE jsonb_build_array(f.x) END) AS v WHERE `)
	switch c.Op {
	case store.Prefix:
		q.write("jsonb_typeof(v) = 'string' AND starts_with(v #>> '{}', ").value(c.Values[0], "text").write(")")
	case store.Range:
		q.bounds(c, func(op string, v any) {
			if text, ok := v.(string); ok {
				q.write(`jsonb_typeof(v) = 'string' AND (v #>> '{}') COLLATE "C"`, op).value(text, "text")
			} else {
				q.write("jsonb_typeof(v) = 'number' AND v", op).value(jsonText(v), "text").write("::jsonb")
			}
		})
	default:
		list := make([]string, len(c.Values))
		for i, v := range c.Values {
			list[i] = jsonText(v)
		}
		q.write("v = ANY (").value(list, "text[]").write("::jsonb[])")
	}
	q.write(")")
	return nil
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a text, a finite number or a boolean: store.Filter.Validate
	}
	return string(b)
}

// texts drops what a text cannot equal.
func texts(values []any) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}
