// Package postgres keeps libraries in a PostgreSQL database with pgvector: one
// database for many tenants, on this machine or a managed one.
//
// Every View is one REPEATABLE READ transaction, so it reads one revision.
// Nothing is kept in a session, neither settings nor locks nor prepared
// statements, so that a pooler in transaction mode may stand between.
//
// Each transaction names its tenant by a setting that lasts as long as it does,
// and row level security, forced on the owner of the tables too, binds every
// row to it; each statement names the tenant as well. Nothing of this holds for
// a superuser or a role with BYPASSRLS, which an application must not be.
//
// The vector leg is an exact scan for small libraries and where a filter leaves
// little, and else pgvector's HNSW index, one for each number of dimensions.
// The keyword leg finds its candidates by a GIN index; their terms are scored
// by the caller.
//
// The writer role is a lease that its holder renews and that every commit
// checks; a process that dies loses it when the lease ends.
package postgres
