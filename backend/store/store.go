// Package store is the contract of a library's storage: ledger, texts,
// passages, terms and vectors of one tenant in one database. Each database has
// a folder of its own; storetest is the suite that all of them pass.
//
// A Store is opened for one tenant; nothing in this contract names another, so
// no caller can cross. The library that a Store shows consists of sources,
// documents (the ledger), and generations: a generation is everything derived
// with one embedding space and one analyzer (passages, terms, vectors). One
// generation is live; a second may be under construction beside it.
package store

import (
	"context"
	"iter"
	"time"

	"ibid/backend/corpus"
)

// Store is one tenant's library. All methods may be called from several
// goroutines and several processes at once.
type Store interface {
	// View runs fn over one consistent snapshot: everything fn reads through r,
	// vectors included, belongs to one library revision. It never waits for a
	// writer. r is not to be kept after fn returned, nor shared by goroutines.
	View(ctx context.Context, fn func(r Reader) error) error
	// PutSource adds a source or changes the one with its id. It needs no
	// writer role, so that adding a folder never waits for a run. Here and in
	// other methods, events are kept in the same transaction.
	PutSource(ctx context.Context, s corpus.Source, events ...Event) error
	// ChangeSource changes a source as it is stored now, so that nothing is lost
	// of what others change at the same time. change may be called more than
	// once; an error of it ends the call and changes nothing. corpus.ErrNotFound
	// for an unknown source. Like PutSource it needs no writer role.
	ChangeSource(ctx context.Context, id corpus.ID, change func(s *corpus.Source) error, events ...Event) error
	// PutEvent keeps events of what has no transaction here, such as a failure.
	// It needs no writer role. Of all events the newest MaxEvents are kept. After
	// a reply that was lost on the way, events may stand twice.
	PutEvent(ctx context.Context, events ...Event) error
	// PutRequest leaves a request for the process that writes, in place of the
	// one of its kind before. It needs no writer role; corpus.ErrInvalid as
	// Request.Validate says.
	PutRequest(ctx context.Context, r Request) error
	// DropRequest takes the request of a kind away, if there is one. It needs no
	// writer role.
	DropRequest(ctx context.Context, kind string) error
	// Acquire takes the writer role, which one process has at a time, and
	// which its death frees. holder names the process and purpose to others.
	// Held elsewhere: an error wrapping corpus.ErrBusy that names the holder.
	Acquire(ctx context.Context, holder string) (Writer, error)
	// Holder names who has the writer role now, in whatever process; "" if
	// nobody has it.
	Holder(ctx context.Context) (string, error)
	// Backup writes a copy of the whole database, one snapshot of it, to a file
	// that must not exist (else corpus.ErrInvalid), and makes sure that the copy
	// can be read. The file is there as a whole or not at all. Readers and
	// writers go on. A database that has its own tools for that:
	// corpus.ErrUnsupported, naming them.
	Backup(ctx context.Context, path string) error
	// Capabilities are facts about the database; they do not change while open.
	Capabilities() Capabilities
	// Close waits for running calls and releases everything; the borrowed
	// parts (a pool given by the caller) stay open. It is idempotent.
	Close() error
}

// Capabilities are what a database can do.
type Capabilities struct {
	Name          string // "sqlite", "postgres"
	Transactional bool   // Commit is all or nothing over several changes
	MaxDimensions int    // of a vector that can be stored
	ExactVectors  bool   // the vector leg is an exact scan
}

// Reader reads one snapshot. Where a generation is asked for, 0 means the live
// one; a library without any answers with empty results, and so does a
// generation that does not exist. Times are UTC and kept to the microsecond.
type Reader interface {
	// Info describes the library. It costs the same in a large one.
	Info(ctx context.Context) (Info, error)
	// Tally returns the counts of sources that have documents, by source: what
	// is made of them in the generation. Like Info, it does not count.
	Tally(ctx context.Context, generation int64) (map[corpus.ID]Tally, error)
	// Rows counts the rows of the tables named, or of all (RowNames), by looking
	// at each. It is for finding out whether the library is what it says.
	Rows(ctx context.Context, names ...string) (map[string]int64, error)
	// Sources returns all sources by time of creation.
	Sources(ctx context.Context) ([]corpus.Source, error)
	// Documents yields the ledger's documents ordered by source id and path;
	// source NoID means all. The sequence ends after the first error.
	Documents(ctx context.Context, source corpus.ID) iter.Seq2[corpus.Document, error]
	// Document returns one record or corpus.ErrNotFound.
	Document(ctx context.Context, id corpus.ID) (corpus.Document, error)
	// Paths calls fn for the path of each document of a source, in order. No more
	// than the paths is read; an error of fn ends it.
	Paths(ctx context.Context, source corpus.ID, fn func(path string) error) error
	// Find returns the documents that w names, by source id and path.
	Find(ctx context.Context, w Where) ([]corpus.Document, error)
	// Text returns the stored text of the revision that generation's passages
	// were made of, and that revision.
	Text(ctx context.Context, generation int64, document corpus.ID) (text string, revision int64, err error)
	// Chunks returns a document's passages in order.
	Chunks(ctx context.Context, generation int64, document corpus.ID) ([]corpus.Chunk, error)
	// Fetch returns live passages in the caller's order; missing ids are omitted.
	Fetch(ctx context.Context, ids []corpus.ID) ([]Passage, error)
	// Search returns the candidates of both legs. A query vector that does not
	// fit the generation's space fails with corpus.ErrInvalid.
	Search(ctx context.Context, q Query) (Candidates, error)
	// HaveVectors returns those hashes that need no embedding in space: a
	// vector is stored with a passage or in the cache. None for the zero space.
	HaveVectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash]bool, error)
	// Pending returns passages of the generation that lack a vector, one an
	// input hash, documents committed last first and their passages in order,
	// at most limit. A generation of the zero space has none.
	Pending(ctx context.Context, generation int64, limit int) ([]Pending, error)
	// PendingOf is Pending of some documents, in the order in which they are named.
	PendingOf(ctx context.Context, generation int64, documents []corpus.ID, limit int) ([]Pending, error)
	// Recipes returns what each document's passages in the generation were made
	// with, by document id. A document not in it has none there.
	Recipes(ctx context.Context, generation int64) (map[corpus.ID]Made, error)
	// RecipesOf is Recipes of some documents.
	RecipesOf(ctx context.Context, generation int64, documents []corpus.ID) (map[corpus.ID]Made, error)
	// Runs returns the newest runs first.
	Runs(ctx context.Context, limit int) ([]Run, error)
	// Events returns the newest events first. They are no part of what a search
	// could see: the library's revision does not grow with them.
	Events(ctx context.Context, q EventQuery) ([]Event, error)
	// Requests returns what is asked of the process that writes, by kind.
	Requests(ctx context.Context) ([]Request, error)
	// Audit compares everything that the store keeps twice or counts, and the
	// terms of every passage with those that a has for it, in all generations.
	// It calls report for each finding, in no order but the document's; report
	// must not use the reader. Memory grows with the number of documents and
	// passages, not with their size.
	Audit(ctx context.Context, a Audit, report func(Finding)) error
	// Vectors returns the stored vectors of inputs in space, those that there are.
	Vectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash][]float32, error)
	// Orphans returns one passage of each document that has passages and no
	// record in the ledger, by which Identified tells whose they are.
	Orphans(ctx context.Context) ([]corpus.Chunk, error)
}

// Writer changes the library. Its methods may be called from several
// goroutines; each is one transaction, checked against the writer role: after
// the role was lost every method fails with corpus.ErrBusy and changes nothing.
//
// Every method validates its input completely before it opens a transaction
// (ValidateChanges and its like), and fails with corpus.ErrInvalid naming the
// document. A generation that does not exist is corpus.ErrNotFound.
type Writer interface {
	// Build returns the generation under construction for space and analyzer,
	// or the live one if that already matches, or a new one. In an empty
	// library the new one is live at once. A construction for another space or
	// analyzer is dropped.
	Build(ctx context.Context, space corpus.Space, analyzer string) (Generation, error)
	// Switch makes the generation live and drops the one before, in one
	// transaction.
	Switch(ctx context.Context, generation int64) error
	// Commit replaces the passages of documents, all or none. For each change:
	// add and update, relocate what only moved, then remove what is gone.
	// Passages whose hash has a vector have it from the commit on. A change
	// whose From is not the stored revision fails with corpus.ErrStale.
	// After an error of the connection, the document's revision tells whether
	// the commit happened.
	Commit(ctx context.Context, changes ...Change) ([]Committed, error)
	// Ingest does all of a batch or none of it: Commit, Record, Remove and
	// PutSource in one transaction, with their conditions.
	Ingest(ctx context.Context, b Batch) ([]Committed, error)
	// Record writes ledger records without touching passages: a moved, failed
	// or retitled document, changed metadata. Revision is what the caller saw
	// (0: a new record) and grows by one; corpus.ErrStale as in Commit.
	Record(ctx context.Context, docs ...corpus.Document) error
	// Touch refreshes fingerprints; the revision stays.
	Touch(ctx context.Context, fingerprints map[corpus.ID]corpus.Fingerprint) error
	// Remove deletes documents with all that is derived from them, in every
	// generation. An unknown document is no error; none at all is a no-op.
	Remove(ctx context.Context, refs ...Ref) error
	// RemoveSource deletes a source and its documents; purge also deletes
	// their cached vectors.
	RemoveSource(ctx context.Context, source corpus.ID, purge bool, events ...Event) error
	// PutVectors stores vectors by input hash: every passage with that hash, in
	// generations of that space, has its vector when it returns, and commits to
	// come find it. Stored vectors are replaced.
	PutVectors(ctx context.Context, space corpus.Space, vectors map[corpus.Hash][]float32) error
	// Sweep deletes cached vectors that no passage uses and that were last
	// used before the given time, and other garbage. It returns the rows deleted.
	Sweep(ctx context.Context, before time.Time) (int64, error)
	// Distrust replaces what the passages of documents were made with, in every
	// generation, until they are committed anew. Unknown documents are ignored.
	Distrust(ctx context.Context, recipes map[corpus.ID]string) error
	// Mend repairs all that Audit finds and that can be derived from what is
	// left: rows that belong to nothing and altered passages go, terms, vector
	// index, statistics and fields are made anew where they differ, and
	// documents without a source are removed. Vectors of the passages of the
	// documents in forget go too. What only the documents' files can bring back
	// is left to Commit, which succeeds after it whatever was damaged.
	Mend(ctx context.Context, a Audit, forget ...corpus.ID) error
	// MendFile repairs the database's own file where Audit finds FileDamaged or
	// FileIndexDamaged. Rows that cannot be read are missing then, for Mend and
	// plans to bring back, and the file as it was is kept beside it. A part that
	// nothing could bring back is left as it is: ErrDamaged names it. A store
	// whose file is a server's has nothing to do.
	MendFile(ctx context.Context) error
	// PutRun inserts or replaces a run's record.
	PutRun(ctx context.Context, run Run, events ...Event) error
	// Release gives the role back. It is idempotent.
	Release() error
}

// Info describes a library.
type Info struct {
	Library     corpus.ID
	Revision    int64 // grows with every change of what a search could see
	Generations []Generation
	Documents   int
	Failed      int
	Chunks      int            // of the live generation
	Embedded    int            // of these, with a vector
	Languages   map[string]int // live passages' documents by language
	Bytes       int64          // on disk, 0 if not known
}

// RowNames are what Rows counts, over all generations: of the inverted index,
// passages are "terms"; vectors that a passage uses are "vectors", those that
// none uses "cached".
var RowNames = []string{"documents", "texts", "chunks", "terms", "vectors", "cached"}

// Where names documents: those that any of its parts names, each once.
type Where struct {
	IDs      []corpus.ID
	Contents []corpus.Hash
	// Places are files and folders of sources; of a folder all that is below it
	// is meant, of "" the whole source.
	Places map[corpus.ID][]string
}

// Live returns the live generation, if there is one.
func (i Info) Live() (Generation, bool) {
	for _, g := range i.Generations {
		if g.Live {
			return g, true
		}
	}
	return Generation{}, false
}

// Generation is everything derived with one embedding space and one analyzer.
type Generation struct {
	ID        int64
	Space     corpus.Space // zero: keyword only
	Analyzer  string
	Live      bool
	CreatedAt time.Time
}

// Made tells what a document's passages in a generation were made of.
type Made struct {
	Revision int64
	Recipe   string
	Chunks   int
	Embedded int
}

// Change is a document with its new passages.
type Change struct {
	Generation int64
	// From is the ledger revision that the change was made from; 0: the
	// document is new and must not exist.
	From int64
	// Document is the new record; its Revision is ignored. Its Recipe is what
	// the entries were made with.
	Document corpus.Document
	Text     string
	Entries  []Entry
	// Strict fails the change with corpus.ErrUnavailable, changing nothing, if
	// a passage has no vector anywhere.
	Strict bool
}

// Entry is a passage with its index terms.
type Entry struct {
	Chunk corpus.Chunk // identified, with ids
	// Whole is the first field: one term a position, "" where nothing is indexed
	// (a stop word). Phrases match consecutive positions.
	Whole []string
	// Parts is the second field: stems and parts of identifiers, with repeats,
	// in no order.
	Parts []string
	// Terms is the analyzer's record of term frequencies, opaque to the store
	// and returned with candidates.
	Terms []byte
	// Length is the passage's length for BM25, in terms.
	Length int
}

// Committed tells what a commit did.
type Committed struct {
	Document  corpus.ID
	Revision  int64
	Added     int // passages that are new in the document
	Kept      int // unchanged, vector kept
	Relocated int // text unchanged, location changed; not among Kept
	Removed   int
	Missing   int // passages without a vector so far
}

// Ref names a document at a revision; Revision 0 means any.
type Ref struct {
	Document corpus.ID
	Revision int64
}

// Passage is a chunk with its document.
type Passage struct {
	corpus.Chunk
	Document corpus.Document
	Revision int64 // that the passage was made of
}

// Pending is an input that waits for its vector.
type Pending struct {
	Hash     corpus.Hash
	Input    string
	Tokens   int
	Document corpus.ID
}

// Run is the record of one execution of a plan.
type Run struct {
	ID         string
	Kind       string // "apply", "embed", "ingest"
	State      string // "running", "done", "failed", "canceled"
	StartedAt  time.Time
	FinishedAt time.Time
	Summary    []byte // JSON, the service's
}

// Request is what one process asks of another that writes to the same library.
// What kinds there are and what they mean is the service's.
type Request struct {
	Kind string
	Run  string    // that is meant, "" for none in particular
	By   string    // who asks
	At   time.Time // kept to the microsecond
}
