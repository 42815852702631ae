package storetest

import (
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

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
	for _, f := range w.findings() {
		// The walk's documents come from nowhere, and those of a generation that
		// was abandoned are in none.
		if f.Damage != store.SourceMissing && (f.Damage != store.PassagesMissing || f.Generation != 0) {
			w.t.Errorf("audit found %+v", f)
		}
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
	rows, err := r.Rows(w.t.Context())
	w.must(err)
	if d := diff(w.m.rows(), rows); d != "" {
		w.t.Errorf("rows (-want +got):\n%s", d)
	}
	live := w.m.live()
	want := store.Info{Library: info.Library, Revision: info.Revision, Bytes: info.Bytes, Documents: len(w.m.documents), Languages: map[string]int{}}
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
	for _, g := range append(slices.Clone(want.Generations), store.Generation{}) {
		w.compareTally(r, g.ID)
	}
}

// compareTally compares the counts that the store keeps with a count.
func (w *walker) compareTally(r store.Reader, generation int64) {
	w.t.Helper()
	got, err := r.Tally(w.t.Context(), generation)
	w.must(err)
	recipes, err := r.Recipes(w.t.Context(), generation)
	w.must(err)
	want := map[corpus.ID]store.Tally{}
	for id, d := range w.m.documents {
		t := store.Tally{Documents: 1, Chunks: recipes[id].Chunks, Embedded: recipes[id].Embedded}
		if d.State == corpus.DocumentFailed {
			t.Failed = 1
		}
		want[d.Source] = want[d.Source].Plus(t)
	}
	if d := diff(want, got); d != "" {
		w.t.Errorf("counts in generation %d (-want +got):\n%s", generation, d)
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
	w.compareFind(r, want)
}

// compareFind asks for some of the documents in each way.
func (w *walker) compareFind(r store.Reader, all map[corpus.ID]corpus.Document) {
	w.t.Helper()
	var where store.Where
	where.Places = map[corpus.ID][]string{}
	var want []corpus.Document
	contents := map[corpus.Hash]bool{}
	for _, d := range all {
		if w.r.IntN(4) == 0 {
			where.Contents, contents[d.Content] = append(where.Contents, d.Content), true
		}
	}
	for id, d := range all {
		n := w.r.IntN(3)
		switch n {
		case 0:
			where.IDs = append(where.IDs, id)
		case 1:
			where.Places[d.Source] = append(where.Places[d.Source], d.Path)
		}
		if n < 2 || contents[d.Content] {
			want = append(want, d)
		}
	}
	slices.SortFunc(want, store.ByPlace)
	got, err := r.Find(w.t.Context(), where)
	w.must(err)
	if d := diff(want, got, cmpopts.EquateEmpty()); d != "" {
		w.t.Errorf("documents found (-want +got):\n%s", d)
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
	var some []corpus.ID
	for id := range w.m.documents {
		if w.r.IntN(2) == 0 {
			some = append(some, id)
		} else {
			delete(want, id)
		}
	}
	got, err := r.RecipesOf(w.t.Context(), g.ID, some)
	w.must(err)
	if d := diff(want, got); d != "" {
		w.t.Errorf("recipes of %d documents in generation %d (-want +got):\n%s", len(some), g.ID, d)
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
