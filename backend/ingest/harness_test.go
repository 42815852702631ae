package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/hash"
	"ibid/backend/extract"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

// tree is a folder tree in memory that counts what is read of it.
type tree struct {
	mu      sync.Mutex
	files   map[string]file
	clock   int64 // of the file system, in seconds
	down    string
	holes   map[string]string
	problem map[string]error
	hashed  int
	mark    string        // of the root
	fold    bool          // it takes names in other case for the same
	rest    time.Duration // between the last change of a file and hashing it
}

type file struct {
	data string
	at   int64
}

var _ ingest.Files = (*tree)(nil)

func newTree() *tree {
	return &tree{files: map[string]file{}, problem: map[string]error{}, rest: 30 * time.Second}
}

func (t *tree) write(path, data string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	t.files[path] = file{data, t.clock}
}

func (t *tree) remove(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.files, path)
}

func (t *tree) rename(from, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[to] = t.files[from]
	delete(t.files, from)
}

// touch gives every file another modification time.
func (t *tree) touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	for p, f := range t.files {
		t.files[p] = file{f.data, t.clock}
	}
}

func (f file) fingerprint() corpus.Fingerprint {
	at := f.at * int64(time.Minute)
	return corpus.Fingerprint{Size: int64(len(f.data)), ModTime: at}
}

func (t *tree) Scan(_ context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Mark, s.FoldCase = t.mark, t.fold
	scan := plan.Scan{Source: s, Unavailable: t.down, Empty: len(t.files) == 0, Coverage: plan.Coverage{Places: places, Holes: maps.Clone(t.holes)}}
	covers := scan.Coverage.Covers
	if t.fold {
		scan.Key = strings.ToUpper
		var folded plan.Coverage
		for _, p := range places {
			folded.Places = append(folded.Places, strings.ToUpper(p))
		}
		covers = func(p string) (bool, string) { return folded.Covers(strings.ToUpper(p)) }
	}
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		if ok, _ := covers(p); ok && t.down == "" {
			scan.Entries = append(scan.Entries, plan.Entry{Path: p, Fingerprint: t.files[p].fingerprint()})
		}
	}
	return scan, nil
}

func (t *tree) Read(_ context.Context, _ corpus.Source, path string) ([]byte, corpus.Fingerprint, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.files[path]
	switch {
	case t.problem[path] != nil:
		return nil, corpus.Fingerprint{}, t.problem[path]
	case !ok:
		return nil, corpus.Fingerprint{}, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
	}
	fp := f.fingerprint()
	fp.HashedAt = fp.ModTime + int64(t.rest)
	return []byte(f.data), fp, nil
}

func (t *tree) Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error) {
	data, fp, err := t.Read(ctx, s, path)
	t.mu.Lock()
	t.hashed++
	t.mu.Unlock()
	return corpus.HashBytes(data), fp, err
}

func (t *tree) Head(ctx context.Context, s corpus.Source, path string, n int) ([]byte, error) {
	data, _, err := t.Read(ctx, s, path)
	return data[:min(n, len(data))], err
}

func (t *tree) Exists(_ context.Context, _ corpus.Source, path string) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.files[path]
	return ok, nil
}

// model is the hashing embedder with counters, delays and failures.
type model struct {
	embed.Embedder
	mu       sync.Mutex
	calls    int
	texts    map[string]int // how often each was embedded
	before   func(ctx context.Context, texts []string) error
	capacity int // another limit, if not 0
}

func newModel(tb testing.TB, dimensions int) *model {
	tb.Helper()
	e, err := hash.New(dimensions)
	if err != nil {
		tb.Fatal(err)
	}
	return &model{Embedder: e, texts: map[string]int{}}
}

func (m *model) Limit() int {
	if m.capacity != 0 {
		return m.capacity
	}
	return m.Embedder.Limit()
}

func (m *model) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	m.calls++
	before := m.before
	m.mu.Unlock()
	if before != nil {
		if err := before(ctx, texts); err != nil {
			return nil, err
		}
	}
	v, err := m.Embedder.EmbedDocuments(ctx, texts)
	if err == nil {
		m.mu.Lock()
		for _, t := range texts {
			m.texts[t]++
		}
		m.mu.Unlock()
	}
	return v, err
}

// embedded is the number of texts embedded since the last call.
func (m *model) embedded() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.texts {
		n += c
	}
	m.texts = map[string]int{}
	return n
}

// reader is the built-in extractor; texts that begin with "bad" are refused.
type reader struct {
	*extract.Registry
	version string
	away    bool // nothing can be read now
	change  func(*corpus.Extraction)
}

func (r reader) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	if r.away {
		return nil, fmt.Errorf("%w: start a process to read with: out of memory", corpus.ErrUnavailable)
	}
	if strings.HasPrefix(string(in.Data), "bad") {
		return nil, errors.New("these bytes are bad")
	}
	if strings.HasPrefix(string(in.Data), "hang") { // like a broken PDF (S40)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ext, err := r.Registry.Extract(ctx, in)
	if err == nil && r.change != nil {
		r.change(ext)
	}
	return ext, err
}

func (r reader) Version(name, mediaType string) string {
	return r.Registry.Version(name, mediaType) + r.version
}

// bench is a library with one source.
type bench struct {
	t      testing.TB
	store  store.Store
	tree   *tree
	model  *model // nil: keywords only
	reader reader
	source corpus.Source
	rules  chunk.Rules
}

func newBench(tb testing.TB) *bench {
	tb.Helper()
	b := &bench{t: tb, tree: newTree(), model: newModel(tb, 32), reader: reader{Registry: extract.NewRegistry(extract.Builtin()...)}}
	b.source = corpus.Source{ID: corpus.DeriveID(corpus.NoID, "notes"), Kind: corpus.SourceFolder, Name: "notes", Root: "/notes"}
	b.open(":memory:")
	return b
}

// openLibrary opens the library of a file or of a database's URL. In the latter
// a dead process loses the writer role soon.
func openLibrary(ctx context.Context, place string) (store.Store, error) {
	if strings.HasPrefix(place, "postgres://") {
		return postgres.Open(ctx, postgres.Options{URL: place, ManageSchema: true, Lease: 2 * time.Second})
	}
	return sqlite.Open(ctx, sqlite.Options{Path: place})
}

// open gives the bench a library.
func (b *bench) open(place string) {
	b.t.Helper()
	db, err := openLibrary(context.Background(), place)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.t.Error(err)
		}
	})
	if err := db.PutSource(context.Background(), b.source); err != nil {
		b.t.Fatal(err)
	}
	b.store = db
}

func (b *bench) ingester() *ingest.Ingester {
	p := ingest.Parts{Store: b.store, Files: b.tree, Extract: b.reader, Rules: func(corpus.ID, string, string) chunk.Rules { return b.rules }}
	if b.model != nil {
		p.Embedder = b.model
	}
	return ingest.New(p)
}

func (b *bench) plan(opt ingest.PlanOptions) *plan.Reindex {
	b.t.Helper()
	p, err := b.ingester().Plan(context.Background(), opt)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// apply plans and applies.
func (b *bench) apply() ingest.Result {
	b.t.Helper()
	return b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{AllowRemovals: 1 << 20})
}

func (b *bench) run(p *plan.Reindex, opt ingest.ApplyOptions) ingest.Result {
	b.t.Helper()
	r, err := b.ingester().Apply(context.Background(), p, opt)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// noop fails the test if there is anything to do.
func (b *bench) noop() {
	b.t.Helper()
	if p := b.plan(ingest.PlanOptions{}); !p.IsNoOp() {
		b.t.Fatalf("planning again is no no-op: %s", describe(p))
	}
}

// describe lists the actions that are not unchanged.
func describe(p *plan.Reindex) string {
	var lines []string
	for _, a := range p.Actions {
		if a.Code != plan.Same {
			lines = append(lines, fmt.Sprintf("%s %s (%s)", a.Kind, a.Path, a.Reason))
		}
	}
	return strings.Join(lines, "; ")
}

// dump is the library as the conformance suite compares it.
func (b *bench) dump() string {
	b.t.Helper()
	return storetest.Dump(context.Background(), b.t, b.store)
}

// rows are the library's raw counts.
func (b *bench) rows() (rows map[string]int64) {
	b.t.Helper()
	err := b.store.View(context.Background(), func(v store.Reader) (err error) {
		rows, err = v.Rows(context.Background())
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return rows
}

// equalsFresh compares the library with one that is built anew.
func (b *bench) equalsFresh() {
	b.t.Helper()
	b.sound()
	want, got := b.fresh().dump(), b.dump()
	if want != got {
		b.t.Fatalf("library differs from a fresh one (-fresh +got)\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// sound fails the test if the library disagrees with itself.
func (b *bench) sound() {
	b.t.Helper()
	err := b.store.View(context.Background(), func(v store.Reader) error {
		return v.Audit(context.Background(), b.ingester().Audit(), func(f store.Finding) { b.t.Errorf("audit found %+v", f) })
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// fresh is a bench on the same tree with an empty library.
func (b *bench) fresh() *bench {
	b.t.Helper()
	f := *b
	if b.model != nil {
		f.model = newModel(b.t, b.model.Space().Dimensions)
		f.model.capacity = b.model.capacity
	}
	f.open(":memory:")
	f.apply()
	return &f
}

// text is a document of n paragraphs in Markdown.
func text(title string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", title)
	for i := range n {
		fmt.Fprintf(&b, "\nParagraph %d of %s tells how the machine of kind %d is taken apart, cleaned with care and put together again in the evening.\n", i, title, i*7919%1000)
	}
	return b.String()
}
