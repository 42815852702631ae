package postgres

// UseIndexFrom makes the vector leg use the index in libraries of more than n
// passages.
func (db *DB) UseIndexFrom(n int) { db.exactUpTo = n }

// Migrations counts the migrations.
func Columns() map[string]string { return columns }
