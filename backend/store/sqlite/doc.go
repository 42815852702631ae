// Package sqlite keeps a library in one SQLite file (modernc.org/sqlite, pure
// Go): the embedded default, without any set-up.
//
// Every View is a read transaction in WAL mode, so readers never wait and see
// one revision. Everything that a search needs is in the file: ledger, texts,
// passages, vectors, and an inverted index of its own (package postings, in
// ordinary tables), because FTS5 is slower at what a library does all day:
// 1,000 documents of ten passages cost 1.5 s CPU in its index alone, and
// deleting 10,000 passages 4.9 s with positions.
//
// The vector leg is an exact scan: eight-bit copies of the vectors in memory
// choose the candidates with a proven bound of the error, the stored floats
// decide. The copies carry the revisions at which they came and went, so that
// a search sees those of its own snapshot and no others.
//
// The writer role is a lock of the operating system on a file beside the
// database; a process that dies loses it.
package sqlite
