package postgres

import (
	"context"
	"maps"
	"slices"
)

// Forget deletes all that the database has of the tenant, once its sources are
// removed. The store is of no use afterwards; nobody else may have it open. It
// is for libraries that were made for a purpose, such as an evaluation.
func (db *DB) Forget(ctx context.Context) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	tables := []string{"_made", "_texts"} // they refer to others
	for _, suffix := range slices.Sorted(maps.Keys(columns)) {
		// The format is nobody's; terms are gone with their documents, and cannot
		// be seen without asking for them.
		if suffix != "_format" && suffix != "_lexemes" && !slices.Contains(tables, suffix) {
			tables = append(tables, suffix)
		}
	}
	return wrap("forget the library", db.transact(ctx, func(b *batch) {
		for _, suffix := range tables {
			b.exec("DELETE FROM "+DefaultTable+suffix+" WHERE tenant_id = $1", db.tenant)
		}
	}))
}
