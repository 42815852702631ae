package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var models = aspect{"Model", map[string]func(l *library){
	"Seed1": func(l *library) { walk(l, 1) },
	"Seed2": func(l *library) { walk(l, 2) },
	"Seed3": func(l *library) { walk(l, 3) },
	"Seed4": func(l *library) { walk(l, 4) },
}}

// model is a library in the plainest form: no index, no counter, nothing that
// could disagree with anything else.
type model struct {
	documents   map[corpus.ID]corpus.Document
	generations []*modelGeneration
	vectors     map[corpus.Space]map[corpus.Hash][]float32
	sources     map[corpus.ID]bool
	clock       int // commits so far
}

type modelGeneration struct {
	store.Generation
	made map[corpus.ID]modelMade
}

type modelMade struct {
	change   store.Change
	revision int64
	at       int
}

func (m *model) live() *modelGeneration {
	for _, g := range m.generations {
		if g.Live {
			return g
		}
	}
	return &modelGeneration{}
}

func (m *model) generation(id int64) *modelGeneration {
	for _, g := range m.generations {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// passages are the generation's.
func (m *model) passages(g *modelGeneration) (all []passage) {
	for id, made := range g.made {
		for _, e := range made.change.Entries {
			all = append(all, passage{entry: e, document: m.documents[id], vector: m.vectors[g.Space][e.Chunk.Hash]})
		}
	}
	return all
}

// used are the inputs of a space's passages.
func (m *model) used(space corpus.Space) map[corpus.Hash]bool {
	used := map[corpus.Hash]bool{}
	for _, g := range m.generations {
		if g.Space == space {
			for _, p := range m.passages(g) {
				used[p.entry.Chunk.Hash] = true
			}
		}
	}
	return used
}

func (m *model) commit(changes ...store.Change) (done []store.Committed) {
	for _, c := range changes {
		g := m.generation(c.Generation)
		d := c.Document
		d.Revision = c.From + 1
		m.documents[d.ID] = d
		before := map[corpus.ID]corpus.Chunk{}
		for _, e := range g.made[d.ID].change.Entries {
			before[e.Chunk.ID] = e.Chunk
		}
		result := store.Committed{Document: d.ID, Revision: d.Revision}
		for _, e := range c.Entries {
			old, ok := before[e.Chunk.ID]
			switch {
			case !ok:
				result.Added++
			case reflect.DeepEqual(old.Location, e.Chunk.Location):
				result.Kept++
			default:
				result.Relocated++
			}
			delete(before, e.Chunk.ID)
			if g.Space != (corpus.Space{}) && m.vectors[g.Space][e.Chunk.Hash] == nil {
				result.Missing++
			}
		}
		result.Removed = len(before)
		g.made[d.ID] = modelMade{change: c, revision: d.Revision, at: m.clock}
		done = append(done, result)
	}
	m.clock++
	return done
}

func (m *model) remove(id corpus.ID) {
	delete(m.documents, id)
	for _, g := range m.generations {
		delete(g.made, id)
	}
}

func (m *model) rows() map[string]int64 {
	rows := map[string]int64{"documents": int64(len(m.documents)), "texts": 0, "chunks": 0, "vectors": 0, "cached": 0}
	texts := map[store.Ref]bool{}
	for _, g := range m.generations {
		for id, made := range g.made {
			texts[store.Ref{Document: id, Revision: made.revision}] = true
			rows["chunks"] += int64(len(made.change.Entries))
		}
	}
	rows["texts"], rows["terms"] = int64(len(texts)), rows["chunks"]
	for s, vectors := range m.vectors {
		used := m.used(s)
		for h := range vectors {
			if used[h] {
				rows["vectors"]++
			} else {
				rows["cached"]++
			}
		}
	}
	return rows
}

func (m *model) pending(g *modelGeneration, limit int) (inputs []string) {
	ids := slices.Collect(maps.Keys(g.made))
	slices.SortFunc(ids, func(a, b corpus.ID) int { return g.made[b].at - g.made[a].at })
	seen := map[corpus.Hash]bool{}
	for _, id := range ids {
		for _, e := range g.made[id].change.Entries {
			h := e.Chunk.Hash
			if g.Space != (corpus.Space{}) && m.vectors[g.Space][h] == nil && !seen[h] && len(inputs) < limit {
				seen[h] = true
				inputs = append(inputs, e.Chunk.Input())
			}
		}
	}
	return inputs
}

// walker makes the same random steps in a library and in the model.
type walker struct {
	*library
	t     *testing.T
	r     *rand.Rand
	m     *model
	other store.Store // a second process, that only reads
	paths []string
}

// walk takes a random walk, checks every step, and the end against a fresh build.
func walk(l *library, seed uint64) {
	t := l.t
	w := &walker{
		library: l,
		t:       t,
		r:       rand.New(rand.NewPCG(seed, seed)),
		m: &model{
			documents: map[corpus.ID]corpus.Document{},
			vectors:   map[corpus.Space]map[corpus.Hash][]float32{},
			sources:   map[corpus.ID]bool{},
		},
		other: l.open(),
	}
	for i := range 12 {
		w.paths = append(w.paths, fmt.Sprintf("%d/%d", i%3, i))
	}
	w.build(spaces[0])
	for step := range 120 {
		name := w.step()
		w.compare(name)
		if t.Failed() {
			t.Fatalf("after step %d, %s", step, name)
		}
	}
	w.settle()
}

var spaces = []corpus.Space{space, otherSpace, {}}

func vectorIn(s corpus.Space, input string) []float32 {
	return vector(input + s.Model)[:s.Dimensions]
}

func (w *walker) step() string {
	switch n := w.r.IntN(100); {
	case n < 45:
		return w.commit(1 + w.r.IntN(3))
	case n < 60:
		return w.putVectors()
	case n < 68:
		return w.record()
	case n < 76:
		return w.remove()
	case n < 79:
		return w.removeSource()
	case n < 84:
		return w.build(spaces[w.r.IntN(len(spaces))])
	case n < 88:
		return w.switchOver()
	case n < 92:
		return w.sweep()
	case n < 96:
		return w.touch()
	default:
		return w.stale()
	}
}

func (w *walker) someGeneration() *modelGeneration {
	return w.m.generations[w.r.IntN(len(w.m.generations))]
}

func (w *walker) newChange(g *modelGeneration, path string) store.Change {
	c := change(g.ID, path, randomParagraphs(w.r)...)
	c.Document.Source = corpus.DeriveID(corpus.NoID, path[:1])
	c.Document.Metadata = corpus.Metadata{"n": float64(w.r.IntN(3)), "tags": []string{randomWord(w.r), randomWord(w.r)}}
	c.Document.Recipe = fmt.Sprint("recipe/", w.r.IntN(3))
	c.From = w.m.documents[c.Document.ID].Revision
	return c
}

func (w *walker) commit(n int) string {
	g := w.someGeneration()
	var changes []store.Change
	for _, i := range w.r.Perm(len(w.paths))[:n] {
		changes = append(changes, w.newChange(g, w.paths[i]))
	}
	got, err := w.w.Commit(w.t.Context(), changes...)
	w.must(err)
	if d := diff(w.m.commit(changes...), got); d != "" {
		w.t.Errorf("committed (-want +got):\n%s", d)
	}
	return fmt.Sprintf("commit of %d", n)
}

func (w *walker) putVectors() string {
	g := w.someGeneration()
	if g.Space == (corpus.Space{}) {
		return "nothing"
	}
	put := map[corpus.Hash][]float32{}
	for _, p := range w.m.passages(g) {
		if w.r.IntN(3) == 0 {
			put[p.entry.Chunk.Hash] = vectorIn(g.Space, fmt.Sprint(p.entry.Chunk.Input(), w.r.IntN(2)))
		}
	}
	unseen := change(g.ID, "x", randomParagraphs(w.r)...)
	for _, e := range unseen.Entries {
		put[e.Chunk.Hash] = vectorIn(g.Space, e.Chunk.Input())
	}
	w.must(w.w.PutVectors(w.t.Context(), g.Space, put))
	if w.m.vectors[g.Space] == nil {
		w.m.vectors[g.Space] = map[corpus.Hash][]float32{}
	}
	maps.Copy(w.m.vectors[g.Space], put)
	return fmt.Sprintf("put %d vectors", len(put))
}

func (w *walker) record() string {
	var docs []corpus.Document
	for id, d := range w.m.documents {
		if w.r.IntN(4) == 0 {
			d.Title, d.Metadata = randomWord(w.r), corpus.Metadata{"n": float64(w.r.IntN(3))}
			if w.r.IntN(3) == 0 {
				d.State, d.Error = corpus.DocumentFailed, "unreadable"
			}
			docs = append(docs, d)
			d.Revision++
			w.m.documents[id] = d
		}
	}
	w.must(w.w.Record(w.t.Context(), docs...))
	return fmt.Sprintf("record of %d", len(docs))
}

func (w *walker) remove() string {
	refs := []store.Ref{{Document: corpus.NewID()}}
	for id, d := range w.m.documents {
		if w.r.IntN(5) == 0 {
			refs = append(refs, store.Ref{Document: id, Revision: d.Revision * int64(w.r.IntN(2))})
			w.m.remove(id)
		}
	}
	w.must(w.w.Remove(w.t.Context(), refs...))
	return fmt.Sprintf("removal of %d", len(refs)-1)
}

func (w *walker) removeSource() string {
	id := corpus.DeriveID(corpus.NoID, strconv.Itoa(w.r.IntN(3)))
	purge := w.r.IntN(2) == 0
	inputs := map[corpus.Hash]bool{}
	for _, g := range w.m.generations {
		for _, p := range w.m.passages(g) {
			if p.document.Source == id {
				inputs[p.entry.Chunk.Hash] = true
			}
		}
	}
	for document, d := range w.m.documents {
		if d.Source == id {
			w.m.remove(document)
		}
	}
	for s, vectors := range w.m.vectors {
		used := w.m.used(s)
		maps.DeleteFunc(vectors, func(h corpus.Hash, _ []float32) bool { return purge && inputs[h] && !used[h] })
	}
	w.must(w.w.RemoveSource(w.t.Context(), id, purge))
	return fmt.Sprintf("removal of a source, purge %v", purge)
}

func (w *walker) build(s corpus.Space) string {
	analyzer := fmt.Sprint("analyzer/", w.r.IntN(2))
	got, err := w.w.Build(w.t.Context(), s, analyzer)
	w.must(err)
	matches := func(g *modelGeneration) bool { return g.Space == s && g.Analyzer == analyzer }
	kept := w.m.live()
	if !matches(kept) || kept.ID == 0 {
		if i := slices.IndexFunc(w.m.generations, matches); i >= 0 {
			kept = w.m.generations[i]
		} else {
			kept = &modelGeneration{Generation: got, made: map[corpus.ID]modelMade{}}
			if len(w.m.documents) == 0 {
				w.m.generations = nil
			}
			w.m.generations = append(w.m.generations, kept)
			if want := len(w.m.generations) == 1; got.Live != want || got.Space != s || got.Analyzer != analyzer {
				w.t.Errorf("built %+v, want live %v", got, want)
			}
		}
	}
	if got.ID != kept.ID {
		w.t.Errorf("built generation %d, want %d", got.ID, kept.ID)
	}
	w.m.generations = slices.DeleteFunc(w.m.generations, func(g *modelGeneration) bool { return g != kept && !g.Live })
	return fmt.Sprintf("build of %q %s", s, analyzer)
}

func (w *walker) switchOver() string {
	g := w.someGeneration()
	w.must(w.w.Switch(w.t.Context(), g.ID))
	w.m.generations = slices.DeleteFunc(w.m.generations, func(o *modelGeneration) bool { return o != g && o.Live })
	g.Live = true
	return "switch"
}

func (w *walker) sweep() string {
	want := int64(0)
	for s, vectors := range w.m.vectors {
		used, before := w.m.used(s), len(vectors)
		maps.DeleteFunc(vectors, func(h corpus.Hash, _ []float32) bool { return !used[h] })
		want += int64(before - len(vectors))
	}
	got, err := w.w.Sweep(w.t.Context(), time.Now().Add(time.Hour))
	if w.must(err); got != want {
		w.t.Errorf("swept %d, want %d", got, want)
	}
	return "sweep"
}

func (w *walker) touch() string {
	fingerprints := map[corpus.ID]corpus.Fingerprint{}
	for id, d := range w.m.documents {
		if w.r.IntN(3) == 0 {
			d.Fingerprint.ModTime += int64(w.r.IntN(3)) * int64(time.Hour)
			fingerprints[id] = d.Fingerprint
			w.m.documents[id] = d
		}
	}
	w.must(w.w.Touch(w.t.Context(), fingerprints))
	return "touch"
}

// stale tries changes that must fail.
func (w *walker) stale() string {
	g := w.someGeneration()
	good, bad := w.newChange(g, w.paths[0]), w.newChange(g, w.paths[1])
	bad.From++
	_, err := w.w.Commit(w.t.Context(), good, bad)
	w.wants(err, corpus.ErrStale)
	bad.Document.Revision = bad.From
	w.wants(w.w.Record(w.t.Context(), bad.Document), corpus.ErrStale)
	return "stale changes"
}

// compare fails if the library differs from the model in anything that can be
// read, as seen by the process that writes and by another.
func (w *walker) compare(name string) {
	w.t.Helper()
	for _, s := range []store.Store{w.store, w.other} {
		w.must(s.View(w.t.Context(), func(r store.Reader) error {
			w.compareInfo(r)
			w.compareDocuments(r)
			for _, g := range w.m.generations {
				w.compareGeneration(r, g)
			}
			return nil
		}))
	}
	g := w.m.live()
	all := w.m.passages(g)
	w.compareLexical(name, all, randomLexical(w.r), w.filter())
	if g.Space != (corpus.Space{}) {
		v := &store.Vector{Query: vectorIn(g.Space, randomWord(w.r)), Limit: 1 + w.r.IntN(20)}
		w.compareVectors(name, g.ID, all, v, w.filter())
	}
}

func (w *walker) filter() store.Filter {
	return [][]store.Condition{
		nil,
		{{Field: "n", Op: store.Range, Values: []any{1.0, nil}}},
		{{Field: "tags", Op: store.Not, Values: []any{randomWord(w.r)}}},
		{{Field: "source", Op: store.Eq, Values: []any{corpus.DeriveID(corpus.NoID, "1").String()}}},
		{{Field: "path", Op: store.Prefix, Values: []any{"2/"}}, {Field: "title", Op: store.Not, Values: []any{"the"}}},
	}[w.r.IntN(5)]
}

func (w *walker) compareInfo(r store.Reader) {
	w.t.Helper()
	info, err := r.Info(w.t.Context())
	w.must(err)
	if d := diff(w.m.rows(), info.Rows); d != "" {
		w.t.Errorf("rows (-want +got):\n%s", d)
	}
	live := w.m.live()
	want := store.Info{Library: info.Library, Revision: info.Revision, Bytes: info.Bytes, Rows: info.Rows, Documents: len(w.m.documents), Languages: map[string]int{}}
	for _, g := range w.m.generations {
		want.Generations = append(want.Generations, g.Generation)
	}
	for _, d := range w.m.documents {
		if d.State == corpus.DocumentFailed {
			want.Failed++
		}
	}
	for _, p := range w.m.passages(live) {
		want.Chunks++
		want.Languages[p.document.Language]++
		if p.vector != nil {
			want.Embedded++
		}
	}
	if d := diff(want, info, cmpopts.SortSlices(func(a, b store.Generation) bool { return a.ID < b.ID })); d != "" {
		w.t.Errorf("info (-want +got):\n%s", d)
	}
}

func (w *walker) compareDocuments(r store.Reader) {
	w.t.Helper()
	live := w.m.live()
	got := map[corpus.ID]corpus.Document{}
	for d, err := range r.Documents(w.t.Context(), corpus.NoID) {
		w.must(err)
		got[d.ID] = d
	}
	want := map[corpus.ID]corpus.Document{}
	for id, d := range w.m.documents {
		for _, e := range live.made[id].change.Entries {
			d.Chunks++
			if m := w.m.vectors[live.Space]; m[e.Chunk.Hash] != nil {
				d.Embedded++
			}
		}
		want[id] = d
	}
	if d := diff(want, got, cmpopts.EquateEmpty()); d != "" {
		w.t.Errorf("documents (-want +got):\n%s", d)
	}
}

func (w *walker) compareGeneration(r store.Reader, g *modelGeneration) {
	w.t.Helper()
	recipes, err := r.Recipes(w.t.Context(), g.ID)
	w.must(err)
	want := map[corpus.ID]store.Made{}
	for id, made := range g.made {
		m := store.Made{Revision: made.revision, Recipe: made.change.Document.Recipe, Chunks: len(made.change.Entries)}
		var chunks []corpus.Chunk
		for _, e := range made.change.Entries {
			chunks = append(chunks, e.Chunk)
			if w.m.vectors[g.Space][e.Chunk.Hash] != nil {
				m.Embedded++
			}
		}
		want[id] = m
		got, err := r.Chunks(w.t.Context(), g.ID, id)
		w.must(err)
		if d := diff(chunks, got, cmpopts.EquateEmpty()); d != "" {
			w.t.Errorf("passages of %s in generation %d (-want +got):\n%s", made.change.Document.Path, g.ID, d)
		}
		text, revision, err := r.Text(w.t.Context(), g.ID, id)
		if w.must(err); text != made.change.Text || revision != made.revision {
			w.t.Errorf("text of %s in generation %d: %q of revision %d, want %q of %d", made.change.Document.Path, g.ID, text, revision, made.change.Text, made.revision)
		}
	}
	if d := diff(want, recipes); d != "" {
		w.t.Errorf("recipes of generation %d (-want +got):\n%s", g.ID, d)
	}
	limit := 1 + w.r.IntN(20)
	pending, err := r.Pending(w.t.Context(), g.ID, limit)
	w.must(err)
	var inputs []string
	for _, p := range pending {
		inputs = append(inputs, p.Input)
	}
	// Documents of one commit may come in any order; what matters is which.
	wanted := w.m.pending(g, limit)
	if len(inputs) != len(wanted) || (len(wanted) < limit && !cmp.Equal(inputs, wanted, cmpopts.SortSlices(func(a, b string) bool { return a < b }), cmpopts.EquateEmpty())) {
		w.t.Errorf("pending in generation %d: %q, want %q", g.ID, inputs, wanted)
	}
}

// settle compares the library with one into which the model's end state is
// committed at once.
func (w *walker) settle() {
	live := w.m.live()
	w.must(w.w.Switch(w.t.Context(), live.ID))
	_, err := w.w.Build(w.t.Context(), live.Space, live.Analyzer) // drops what is under construction
	w.must(err)
	for id := range w.m.documents {
		if _, ok := live.made[id]; !ok {
			w.must(w.w.Remove(w.t.Context(), store.Ref{Document: id}))
		}
	}
	fresh := newLibrary(w.t, w.db, corpus.NewID())
	g, err := fresh.w.Build(w.t.Context(), live.Space, live.Analyzer)
	w.must(err)
	for id, made := range live.made {
		c := made.change
		c.From, c.Generation, c.Document = 0, g.ID, w.m.documents[id]
		recipe := c.Document.Recipe
		c.Document.Recipe = made.change.Document.Recipe
		fresh.commit(c)
		d := w.m.documents[id]
		d.Revision, d.Recipe = 1, recipe
		w.must(fresh.w.Record(w.t.Context(), d))
	}
	if m := w.m.vectors[live.Space]; live.Space != (corpus.Space{}) {
		w.must(fresh.w.PutVectors(w.t.Context(), live.Space, m))
	}
	for _, l := range []*library{fresh, w.library} {
		_, err := l.w.Sweep(w.t.Context(), time.Now().Add(time.Hour))
		w.must(err)
	}
	if d := diff(fresh.dump(), w.dump()); d != "" {
		w.t.Errorf("differs from a fresh build (-fresh +walked):\n%s", d)
	}
}
