//go:build unix

package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
)

// benchSpace has the built-in model's dimensions.
var benchSpace = corpus.Space{Provider: "hash", Model: "bench", Dimensions: 384, Format: "1"}

// words draws from a vocabulary with Zipf's frequencies, as a language has.
type words struct {
	r *rand.Rand
	z *rand.Zipf
}

func newWords(seed uint64) *words {
	r := rand.New(rand.NewPCG(seed, seed))
	return &words{r: r, z: rand.NewZipf(r, 1.07, 20, 400000)}
}

func (w *words) next() string { return "w" + strconv.FormatUint(w.z.Uint64(), 36) }

// document makes a document of passages of about 800 bytes: 130 terms in the
// first field, 80 in the second, a record of terms as the analyzer's.
func (w *words) document(generation int64, path string, passages int) store.Change {
	id := corpus.DeriveID(corpus.NoID, path)
	var text strings.Builder
	chunks := make([]corpus.Chunk, passages)
	entries := make([]store.Entry, passages)
	for i := range chunks {
		e := &entries[i]
		for range 130 {
			e.Whole = append(e.Whole, w.next())
		}
		for range 80 {
			e.Parts = append(e.Parts, "s"+w.next())
		}
		content := strings.Join(e.Whole, "  ")
		chunks[i] = corpus.Chunk{
			Content: content, Breadcrumb: []string{"Chapter", path}, Tokens: 200,
			Location: corpus.Location{Start: text.Len(), End: text.Len() + len(content), Anchor: corpus.Anchor{LineStart: i, LineEnd: i + 1}},
		}
		text.WriteString(content)
		e.Terms, e.Length = []byte(content[:len(content)/2]), len(e.Whole)
	}
	corpus.Identify(id, chunks)
	for i := range entries {
		entries[i].Chunk = chunks[i]
	}
	return store.Change{
		Generation: generation,
		Document: corpus.Document{
			ID: id, Source: corpus.DeriveID(corpus.NoID, "source"), Path: path, Type: "text/markdown", Title: path,
			Language: "en", State: corpus.DocumentIndexed, Metadata: corpus.Metadata{"group": path[len(path)-1:]},
		},
		Text:    text.String(),
		Entries: entries,
	}
}

func (w *words) vector() []float32 {
	v := make([]float32, benchSpace.Dimensions)
	for i := range v {
		v[i] = float32(w.r.NormFloat64())
	}
	return v
}

func openBench(b *testing.B, path string) (*sqlite.DB, store.Writer, store.Generation) {
	b.Helper()
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	w, err := db.Acquire(b.Context(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	g, err := w.Build(b.Context(), benchSpace, "bench")
	if err != nil {
		b.Fatal(err)
	}
	return db, w, g
}

// stopwatch adds up CPU time, which means something on a machine that others
// use as well.
type stopwatch struct{ spent, since int64 }

func cpuTime() int64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

func (s *stopwatch) start() { s.since = cpuTime() }
func (s *stopwatch) stop()  { s.spent += cpuTime() - s.since }

func (s *stopwatch) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(s.spent)/1e6/float64(b.N), "cpu-ms/op")
}

// BenchmarkCommit adds 1,000 documents of ten passages, each in its commit.
// Only cpu-ms counts the commits alone.
func BenchmarkCommit(b *testing.B) {
	var cpu stopwatch
	for b.Loop() {
		_, w, g := openBench(b, filepath.Join(b.TempDir(), "library.db"))
		source := newWords(1)
		for i := range 1000 {
			c := source.document(g.ID, fmt.Sprint("doc", i), 10)
			cpu.start()
			if _, err := w.Commit(b.Context(), c); err != nil {
				b.Fatal(err)
			}
			cpu.stop()
		}
	}
	cpu.report(b)
}

// BenchmarkRemove deletes one document of 10,000 embedded passages from a
// library of twice as many (S45).
func BenchmarkRemove(b *testing.B) {
	var cpu stopwatch
	for b.Loop() {
		b.StopTimer()
		_, w, g := openBench(b, filepath.Join(b.TempDir(), "library.db"))
		source := newWords(1)
		large := source.document(g.ID, "large", 10000)
		vectors := map[corpus.Hash][]float32{}
		for _, e := range large.Entries {
			vectors[e.Chunk.Hash] = source.vector()
		}
		if _, err := w.Commit(b.Context(), large, source.document(g.ID, "other", 10000)); err != nil {
			b.Fatal(err)
		}
		if err := w.PutVectors(b.Context(), benchSpace, vectors); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		cpu.start()
		if err := w.Remove(b.Context(), store.Ref{Document: large.Document.ID}); err != nil {
			b.Fatal(err)
		}
		cpu.stop()
	}
	cpu.report(b)
}

// openShelf makes a library of IBID_BENCH_CHUNKS embedded passages (20,000
// unless set), once at all if IBID_BENCH_LIBRARY names a file.
func openShelf(b *testing.B) string {
	b.Helper()
	path := os.Getenv("IBID_BENCH_LIBRARY")
	if path == "" {
		path = filepath.Join(b.TempDir(), "library.db")
	} else if _, err := os.Stat(path); err == nil {
		return path
	}
	chunks, _ := strconv.Atoi(os.Getenv("IBID_BENCH_CHUNKS"))
	if chunks == 0 {
		chunks = 20000
	}
	db, w, g := openBench(b, path)
	source := newWords(2)
	for n := 0; n < chunks; n += 10 {
		c := source.document(g.ID, fmt.Sprint("doc", n/10), 10)
		vectors := map[corpus.Hash][]float32{}
		for _, e := range c.Entries {
			vectors[e.Chunk.Hash] = source.vector()
		}
		if err := w.PutVectors(b.Context(), benchSpace, vectors); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkOpen is what a short command pays before its first search.
func BenchmarkOpen(b *testing.B) {
	path := openShelf(b)
	var cpu stopwatch
	cpu.start()
	for b.Loop() {
		db, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.View(b.Context(), func(r store.Reader) error {
			_, err := r.Info(b.Context())
			return err
		}); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	cpu.stop()
	cpu.report(b)
}

// BenchmarkDocuments reads the whole ledger, as every plan does.
func BenchmarkDocuments(b *testing.B) {
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: openShelf(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var cpu stopwatch
	cpu.start()
	n := 0
	for b.Loop() {
		if err := db.View(b.Context(), func(r store.Reader) error {
			for _, err := range r.Documents(b.Context(), corpus.NoID) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	cpu.stop()
	b.ReportMetric(float64(n)/float64(b.N), "documents/op")
	cpu.report(b)
}

// BenchmarkSearch measures the legs with and without a filter that a tenth of
// the documents pass; "cold" is the first search of a process.
func BenchmarkSearch(b *testing.B) {
	path := openShelf(b)
	source := newWords(3)
	lexical := func() *store.Lexical {
		l := &store.Lexical{Budget: 10000, Limit: 400}
		for range 6 {
			w := source.next()
			l.Terms = append(l.Terms, store.Term{Text: w}, store.Term{Text: "s" + w, Part: true})
		}
		return l
	}
	vector := func() *store.Vector { return &store.Vector{Query: source.vector(), Limit: 100} }
	filter := store.Filter{{Field: "group", Op: store.Eq, Values: []any{"7"}}}
	for name, make := range map[string]func() store.Query{
		"keyword":         func() store.Query { return store.Query{Lexical: lexical()} },
		"vector":          func() store.Query { return store.Query{Vector: vector()} },
		"hybrid":          func() store.Query { return store.Query{Lexical: lexical(), Vector: vector()} },
		"hybrid/filtered": func() store.Query { return store.Query{Lexical: lexical(), Vector: vector(), Filter: filter} },
		"phrase": func() store.Query {
			l := lexical()
			l.Must = [][]string{{l.Terms[0].Text, l.Terms[2].Text}}
			return store.Query{Lexical: l}
		},
	} {
		b.Run(name, func(b *testing.B) {
			db, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var cpu stopwatch
			cpu.start()
			for b.Loop() {
				if err := db.View(b.Context(), func(r store.Reader) error {
					_, err := r.Search(b.Context(), make())
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
			cpu.stop()
			cpu.report(b)
		})
	}
	b.Run("cold", func(b *testing.B) {
		var cpu stopwatch
		cpu.start()
		for b.Loop() {
			db, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			if err := db.View(b.Context(), func(r store.Reader) error {
				_, err := r.Search(b.Context(), store.Query{Lexical: lexical(), Vector: vector()})
				return err
			}); err != nil {
				b.Fatal(err)
			}
			db.Close()
		}
		cpu.stop()
		cpu.report(b)
	})
}
