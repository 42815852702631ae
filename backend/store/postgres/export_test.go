package postgres

// UseIndexFrom makes the vector leg use the index in libraries of more than n
// passages.
func (db *DB) UseIndexFrom(n int) { db.exactUpTo = n }

// Columns are those that an operator's tables are checked for.
func Columns() map[string]string { return columns }
