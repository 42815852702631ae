// Package sqlite keeps a library in one SQLite file (modernc.org/sqlite, pure
// Go): the embedded default, without any set-up.
//
// Every View is a read transaction in WAL mode, so readers never wait and see
// one revision. Everything that a search needs is in the file: ledger, texts,
// passages, vectors, and an inverted index of its own (package postings, in
// ordinary tables). FTS5 was measured and left: it has no phrases with gaps,
// deleting 10,000 passages of 240 terms cost 4.9 s CPU (here .4), and reading
// the rows of a term a microsecond each; adding costs the same.
//
// The vector leg is an exact scan: eight-bit copies of the vectors in memory
// choose the candidates with a proven bound of the error, the stored floats
// decide. The codes are in the file as well, in blocks that never change, so
// that every snapshot finds its own and no others.
//
// The writer role is a lock of the operating system on a file beside the
// database; a process that dies loses it.
package sqlite
