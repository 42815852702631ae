package plan

import (
	"cmp"
	"path"
	"slices"

	"ibid/backend/corpus"
)

// moves pairs files that came with documents whose file is gone.
type moves struct {
	from map[*sighting]*Known
	gone map[*Known]bool // those that were paired
}

// pair finds the documents that moved: same content, new path, old path gone.
// Where several files have the same content, those that kept their name
// are paired first, then the others, both in the order of source and path, so
// that a moved folder of equal files arrives in order and the outcome does not
// depend on the order of the input. What is left over is added or removed.
func pair(gone []*Known, came []*sighting) moves {
	m := moves{from: make(map[*sighting]*Known), gone: make(map[*Known]bool)}
	if len(gone) == 0 || len(came) == 0 {
		return m
	}
	byContent := make(map[corpus.Hash][]*Known)
	for _, k := range gone {
		byContent[k.Content] = append(byContent[k.Content], k)
	}
	waiting := make(map[corpus.Hash][]*sighting)
	for _, s := range came {
		if len(byContent[s.Content]) > 0 {
			waiting[s.Content] = append(waiting[s.Content], s)
		}
	}
	for content, files := range waiting {
		documents := byContent[content]
		slices.SortFunc(documents, func(a, b *Known) int {
			return cmp.Or(cmp.Compare(a.Source.String(), b.Source.String()), cmp.Compare(a.Path, b.Path))
		})
		slices.SortFunc(files, func(a, b *sighting) int { return cmp.Compare(a.key, b.key) })
		m.match(documents, files, path.Base)
		m.match(documents, files, func(string) string { return "" })
	}
	return m
}

// match pairs what is still unpaired and has the same name, in order.
func (m moves) match(documents []*Known, files []*sighting, name func(path string) string) {
	free := make(map[string][]*Known)
	for _, k := range documents {
		if !m.gone[k] {
			free[name(k.Path)] = append(free[name(k.Path)], k)
		}
	}
	for _, s := range files {
		n := name(s.Path)
		if m.from[s] != nil || len(free[n]) == 0 {
			continue
		}
		m.from[s] = free[n][0]
		m.gone[free[n][0]] = true
		free[n] = free[n][1:]
	}
}
