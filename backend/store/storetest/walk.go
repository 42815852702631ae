package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

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
