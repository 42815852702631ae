package storetest

import (
	"maps"
	"reflect"
	"slices"

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
