package sqlite

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fileFault is what SQLite says of one part of its file.
type fileFault struct {
	object string // table or index; "": the file as a whole
	table  string // that it is or belongs to
	index  bool
	count  int    // lines
	line   string // the first
}

func (f fileFault) String() string {
	switch {
	case f.object == "":
		return f.line
	case f.index:
		return "index " + f.object + ": " + f.line
	}
	return "table " + f.object + ": " + f.line
}

// examined bounds the lines that SQLite says of one file.
const examined = 200

// examine asks SQLite about its file. Where that cannot be read at one place, it
// may say nothing of others. It takes long and is interrupted by ctx,
// unlike other statements.
func (t *tx) examine(ctx context.Context) ([]fileFault, error) {
	parts := fileParts{byName: map[string]fileFault{}, byRoot: map[int]fileFault{1: {object: schemaTable}}}
	if err := t.eachOnce(ctx, "SELECT name, tbl_name, type = 'index', rootpage FROM sqlite_schema WHERE rootpage > 0", nil, func(scan func(...any) error) error {
		var part fileFault
		var root int
		err := scan(&part.object, &part.table, &part.index, &root)
		parts.byName[part.object], parts.byRoot[root] = part, part
		return err
	}); err != nil {
		return nil, err
	}
	rows, err := t.conn.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", examined))
	if err != nil {
		return nil, err
	}
	var lines []string
	err = t.readAll(ctx, rows, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		lines = append(lines, strings.Split(text, "\n")...)
		return err
	})
	found := parts.faults(lines)
	if corrupt(err) && len(found) > 0 { // it could not go on, and has said why
		err = nil
	}
	return found, err
}

// fileParts are the tables and indexes of a file.
type fileParts struct {
	byName map[string]fileFault
	byRoot map[int]fileFault // by the number of the first page
}

// schemaTable is the table that the file begins with.
const schemaTable = "sqlite_schema"

// Lines of integrity_check name an index at their end, a column, or a tree by
// its first page.
var (
	lineIndex = regexp.MustCompile(`\bindex (\S+)$`)
	lineValue = regexp.MustCompile(`\bvalue in (\w+)\.\w+$`)
	lineTree  = regexp.MustCompile(`^Tree (\d+) page`)
)

// faults orders what integrity_check says by the parts that it is about, in
// the order in which they are first named.
func (p fileParts) faults(lines []string) (list []fileFault) {
	places := map[string]int{}
	for _, line := range lines {
		if line == "ok" || line == "" || strings.HasPrefix(line, "*** in database") {
			continue
		}
		part := fileFault{}
		if m := lineIndex.FindStringSubmatch(line); m != nil {
			part = p.byName[m[1]]
		} else if m := lineValue.FindStringSubmatch(line); m != nil {
			part = p.byName[m[1]]
		} else if m := lineTree.FindStringSubmatch(line); m != nil {
			root, _ := strconv.Atoi(m[1]) // digits
			part = p.byRoot[root]
		}
		at, known := places[part.object]
		if !known {
			at, part.line = len(list), line
			places[part.object] = at
			list = append(list, part)
		}
		list[at].count++
	}
	return list
}
