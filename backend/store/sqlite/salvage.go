package sqlite

import (
	"context"
	"fmt"
	"math"
	"strings"

	"ibid/backend/store"
)

// irreplaceable are tables of which no row may be lost: nothing else says what
// they have, and what they have decides about all the rest. Of a damaged page
// nobody knows what is missing, so they are not salvaged.
var irreplaceable = map[string]bool{"meta": true, "libraries": true, "sources": true, "spaces": true, "generations": true, "goose_db_version": true}

// replaceable says why a table must not be salvaged; nil: it may.
func replaceable(table string) error {
	switch {
	case irreplaceable[table]:
		return fmt.Errorf("%w: nothing else has what may be lost there", store.ErrDamaged)
	case strings.HasPrefix(table, "sqlite_"):
		return fmt.Errorf("%w: it cannot be replaced", store.ErrDamaged)
	}
	return nil
}

// salvage puts a new table in the place of one, with what can be read of that.
func salvage(ctx context.Context, from, to *tx, table string) error {
	var definition string
	found, err := from.row(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", []any{table}, &definition)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("%w: it cannot be replaced", store.ErrDamaged)
	}
	var unique, others []string // what belongs to it; a unique index keeps rows from coming twice
	if err := from.each(ctx, "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND tbl_name = ? AND sql IS NOT NULL ORDER BY type, name", []any{table}, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		if strings.HasPrefix(text, "CREATE UNIQUE ") {
			unique = append(unique, text)
		} else {
			others = append(others, text)
		}
		return err
	}); err != nil {
		return err
	}
	if err := to.do(ctx, append([]string{
		"PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE tbl_name = " + literal(table), "PRAGMA writable_schema = RESET", definition,
	}, unique...)...); err != nil {
		return err
	}
	if err := copyRows(ctx, from, to, table, strings.Contains(definition, "WITHOUT ROWID")); err != nil {
		return err
	}
	return to.do(ctx, others...)
}

// copyRows copies the rows that can be read.
func copyRows(ctx context.Context, from, to *tx, table string, keyed bool) error {
	c := &copying{from: from, to: to, table: table}
	var key []string
	if err := from.each(ctx, "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk", []any{table}, func(scan func(...any) error) error {
		var name string
		var place int
		err := scan(&name, &place)
		c.columns++
		if place > 0 {
			key = append(key, quoted(name))
		}
		return err
	}); err != nil {
		return err
	}
	c.insert = "INSERT OR IGNORE INTO " + quoted(table) + " VALUES (?" + strings.Repeat(", ?", c.columns-1) + ")"
	if keyed {
		return c.keyed(ctx, key)
	}
	return c.numbered(ctx)
}

// copying is a table on its way.
type copying struct {
	from, to *tx
	table    string
	columns  int
	insert   string
}

// copyPage is how many rows are read before they are written.
const copyPage = 256

// keyed copies a table without row numbers: from its beginning and, where that
// comes to an end too soon, from its end.
func (c *copying) keyed(ctx context.Context, key []string) error {
	_, _, err := c.page(ctx, "SELECT 0, * FROM "+quoted(c.table)+" ORDER BY "+strings.Join(key, ", "))
	if corrupt(err) {
		_, _, err = c.page(ctx, "SELECT 0, * FROM "+quoted(c.table)+" ORDER BY "+strings.Join(key, " DESC, ")+" DESC")
	}
	if corrupt(err) {
		return nil
	}
	return err
}

// numbered copies a table by row numbers. Where it cannot be read, it goes on
// at the next number from which it can, and back from there.
func (c *copying) numbered(ctx context.Context) error {
	for at := int64(0); ; {
		last, n, err := c.page(ctx, "SELECT rowid, * FROM "+quoted(c.table)+" WHERE rowid > ? ORDER BY rowid LIMIT ?", at, copyPage)
		switch {
		case err == nil && (n < copyPage || last <= at):
			return nil
		case err != nil && !corrupt(err):
			return err
		}
		at = max(at, last)
		if err == nil {
			continue
		}
		next, err := c.beyond(ctx, at)
		if err != nil {
			return err
		}
		if err := c.back(ctx, at, next); err != nil || next == math.MaxInt64 {
			return err
		}
		at = next
	}
}

// beyond returns a row's number after a gap behind at; the highest there is
// where none is found.
func (c *copying) beyond(ctx context.Context, at int64) (int64, error) {
	for step := int64(1); step < math.MaxInt64-at; step *= 2 {
		var num int64
		found, err := c.from.row(ctx, "SELECT rowid FROM "+quoted(c.table)+" WHERE rowid > ? ORDER BY rowid LIMIT 1", []any{at + step}, &num)
		switch {
		case err == nil && found && num > at:
			return num, nil
		case err == nil && !found, step > math.MaxInt64/2:
			return math.MaxInt64, nil
		case err != nil && !corrupt(err):
			return 0, err
		}
	}
	return math.MaxInt64, nil
}

// back copies rows from the number last down to the first that cannot be read.
func (c *copying) back(ctx context.Context, after, last int64) error {
	for {
		first, n, err := c.page(ctx, "SELECT rowid, * FROM "+quoted(c.table)+" WHERE rowid <= ? AND rowid > ? ORDER BY rowid DESC LIMIT ?", last, after, copyPage)
		if corrupt(err) || err == nil && (n < copyPage || first >= last) {
			return nil
		}
		if err != nil {
			return err
		}
		last = first - 1
	}
}

// page copies what a query returns up to its end or an error, and returns the
// number of the last row.
func (c *copying) page(ctx context.Context, query string, args ...any) (last int64, n int, err error) {
	var rows [][]any
	err = c.from.each(ctx, query, args, func(scan func(...any) error) error {
		row := make([]any, c.columns)
		into := []any{&last}
		for i := range row {
			into = append(into, &row[i])
		}
		err := scan(into...)
		rows = append(rows, row)
		return err
	})
	if err != nil && !corrupt(err) {
		return last, len(rows), err
	}
	for _, row := range rows {
		for i, v := range row {
			if b, is := v.([]byte); is {
				row[i] = blob(b) // an empty one is no NULL
			}
		}
		if _, err := c.to.exec(ctx, c.insert, row...); err != nil {
			return last, len(rows), err
		}
	}
	return last, len(rows), err
}

func quoted(name string) string  { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
