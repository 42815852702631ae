package ingest

import (
	"context"
	"slices"
	"strings"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/source"
	"ibid/backend/store"
)

// knowledge is the library's side of a plan. Where only places are looked at,
// it is what the library knows of these places and of what is found there, so
// that a saved file costs no more in a large library than in a small one.
type knowledge struct {
	*Ingester
	opt     PlanOptions
	input   plan.Input
	sources []corpus.Source
	chosen  []corpus.Source
	wanted  int64 // the generation as it is to be, 0 if there is none yet
	whole   bool  // the whole library is known
}

// read reads what is to be compared, from one snapshot, before anything is
// looked at: a document that is missing afterwards is gone.
func (k *knowledge) read(ctx context.Context) error {
	k.input = plan.Input{
		Tenant: k.Tenant, CreatedAt: time.Now().UTC(), Economy: k.Economy, Retry: k.opt.Retry,
		Wanted: plan.Target{Space: k.space, Analyzer: analyze.Version},
		Owned:  make(map[corpus.ID]int),
	}
	return k.Store.View(ctx, func(v store.Reader) error {
		info, err := v.Info(ctx)
		if err != nil {
			return err
		}
		if k.sources, err = v.Sources(ctx); err != nil {
			return err
		}
		k.input.Recipe = k.recipes(k.sources)
		if k.chosen, err = choose(k.sources, k.opt.Sources); err != nil {
			return err
		}
		k.input.Base = plan.Base{Library: info.Library, Revision: info.Revision}
		if live, ok := info.Live(); ok {
			k.input.HasLive, k.input.Live = true, plan.Target{Space: live.Space, Analyzer: live.Analyzer}
		}
		for _, g := range info.Generations {
			if (plan.Target{Space: g.Space, Analyzer: g.Analyzer}) == k.input.Wanted {
				k.wanted = g.ID
			}
		}
		tally, err := v.Tally(ctx, 0)
		if err != nil {
			return err
		}
		for id, t := range tally {
			k.input.Owned[id] = t.Documents
		}
		docs, all, err := k.documents(ctx, v)
		if err != nil {
			return err
		}
		k.whole = len(docs) == info.Documents
		if err := k.add(ctx, v, docs); err != nil || !all {
			return err
		}
		orphans, err := v.Orphans(ctx)
		if err != nil {
			return err
		}
		if len(orphans) > 0 {
			k.input.Orphan = func(document corpus.ID) bool {
				return slices.ContainsFunc(orphans, func(c corpus.Chunk) bool { return store.Identified(document, &c) == "" })
			}
		}
		return k.compareStored(ctx, v, info.Generations)
	})
}

// documents returns the records at the places that are looked at; all tells
// that these are sources as a whole.
func (k *knowledge) documents(ctx context.Context, v store.Reader) (docs []corpus.Document, all bool, err error) {
	all = true
	where := store.Where{Places: make(map[corpus.ID][]string)}
	for _, s := range k.chosen {
		places := k.opt.Places[s.ID]
		if len(places) == 0 || slices.Contains(places, "") {
			places = []string{""}
		} else {
			all = false
		}
		switch {
		case s.Kind != corpus.SourceFolder:
			places = []string{""}
		case s.FoldCase && places[0] != "":
			if places, err = spelt(ctx, v, s.ID, places); err != nil {
				return nil, false, err
			}
		}
		where.Places[s.ID] = places
	}
	docs, err = v.Find(ctx, where)
	return docs, all, err
}

// spelt returns places of a root that folds case as the ledger spells them,
// each perhaps in several ways: files and folders may have been listed under
// other names for the same. It looks at all paths of the source and at nothing
// else of its documents.
func spelt(ctx context.Context, v store.Reader, id corpus.ID, places []string) ([]string, error) {
	wanted, known := make(map[string]bool, len(places)), make(map[string]bool, len(places))
	for _, p := range places {
		wanted[source.FoldKey(p)], known[p] = true, true
	}
	found := slices.Clone(places)
	err := v.Paths(ctx, id, func(path string) error {
		key := source.FoldKey(path)
		for names, end := 1, 0; end < len(key); names++ {
			if i := strings.IndexByte(key[end+1:], '/'); i >= 0 {
				end += 1 + i
			} else {
				end = len(key)
			}
			if !wanted[key[:end]] {
				continue
			}
			if place := beginning(path, names); !known[place] {
				known[place] = true
				found = append(found, place)
			}
			break
		}
		return nil
	})
	return found, err
}

// beginning returns the first names of a path, at most so many.
func beginning(path string, names int) string {
	for i := range len(path) {
		if path[i] == '/' {
			if names--; names == 0 {
				return path[:i]
			}
		}
	}
	return path
}

// add makes documents known, with what is made of them.
func (k *knowledge) add(ctx context.Context, v store.Reader, docs []corpus.Document) error {
	made := map[corpus.ID]store.Made{}
	var err error
	switch {
	case k.wanted == 0:
	case k.whole:
		made, err = v.Recipes(ctx, k.wanted)
	default:
		ids := make([]corpus.ID, len(docs))
		for i := range docs {
			ids[i] = docs[i].ID
		}
		made, err = v.RecipesOf(ctx, k.wanted, ids)
	}
	if err != nil {
		return err
	}
	k.input.Known = slices.Grow(k.input.Known, len(docs))
	for _, doc := range docs {
		known := plan.Known{Document: doc}
		if m, ok := made[doc.ID]; ok {
			known.Made = &plan.Made{Recipe: m.Recipe, Chunks: m.Chunks, Embedded: m.Embedded}
		}
		k.input.Known = append(k.input.Known, known)
	}
	return nil
}

// compareStored counts the rows of passages. Where they are not as many as the
// ledger says, those of each document are counted, so that the plan
// repairs what differs. Only looking at whole sources is worth that.
func (k *knowledge) compareStored(ctx context.Context, v store.Reader, generations []store.Generation) error {
	passages := 0
	for _, g := range generations {
		tally, err := v.Tally(ctx, g.ID)
		if err != nil {
			return err
		}
		for _, t := range tally {
			passages += t.Chunks
		}
	}
	rows, err := v.Rows(ctx, "chunks")
	if err != nil || int64(passages) == rows["chunks"] {
		return err
	}
	for i := range k.input.Known {
		chunks, err := v.Chunks(ctx, 0, k.input.Known[i].ID)
		if err != nil {
			return err
		}
		k.input.Known[i].Chunks = len(chunks)
	}
	return nil
}

// mostTwins bounds the documents of which it is found out whether their file
// moved to one of the places.
const mostTwins = 256

// complete adds what the library knows of files that it has not at their
// places: documents with the same content, which may have moved or of which
// they are copies, and those that were first seen where they are.
func (k *knowledge) complete(ctx context.Context, l *look) error {
	if k.whole {
		return nil
	}
	known := make(map[corpus.ID]bool, len(k.input.Known))
	paths := make(map[string]bool, len(k.input.Known))
	scans := make(map[corpus.ID]*plan.Scan, len(k.input.Scans))
	for i := range k.input.Scans {
		scans[k.input.Scans[i].Source.ID] = &k.input.Scans[i]
	}
	for i := range k.input.Known {
		d := &k.input.Known[i]
		known[d.ID] = true
		if s := scans[d.Source]; s != nil {
			paths[pathKey(s, d.Path)] = true
		}
	}
	var came store.Where
	var places []place
	for i := range k.input.Scans {
		s := &k.input.Scans[i]
		for j := range s.Entries {
			e := &s.Entries[j]
			if e.Content.IsZero() || paths[pathKey(s, e.Path)] {
				continue
			}
			came.Contents = append(came.Contents, e.Content)
			places = append(places, place{s.Source.ID, e.Path})
		}
	}
	if len(places) == 0 {
		return nil
	}
	var twins []corpus.Document
	err := k.Store.View(ctx, func(v store.Reader) error {
		found, err := v.Find(ctx, came)
		if err != nil {
			return err
		}
		taken, err := k.taken(ctx, v, places)
		if err != nil {
			return err
		}
		fresh := make([]corpus.Document, 0, len(found)+len(taken))
		for _, d := range append(found, taken...) {
			if !known[d.ID] {
				known[d.ID] = true
				fresh = append(fresh, d)
			}
		}
		twins = slices.DeleteFunc(slices.Clone(fresh), func(d corpus.Document) bool { return scans[d.Source] == nil })
		return k.add(ctx, v, fresh)
	})
	if err != nil {
		return err
	}
	for _, d := range twins[:min(len(twins), mostTwins)] {
		if err := l.follow(ctx, scans[d.Source], d.Path); err != nil {
			return err
		}
	}
	return nil
}

func pathKey(s *plan.Scan, path string) string { return s.Source.ID.String() + s.KeyOf(path) }

// taken returns the documents that were first seen at places: their ids are
// given, wherever they are now.
func (k *knowledge) taken(ctx context.Context, v store.Reader, places []place) ([]corpus.Document, error) {
	var all []corpus.Document
	for n := 0; len(places) > 0; n++ {
		at := make(map[corpus.ID]place, len(places))
		var w store.Where
		for _, p := range places {
			id := plan.DocumentID(k.Tenant, p.source, p.path, n)
			at[id] = p
			w.IDs = append(w.IDs, id)
		}
		found, err := v.Find(ctx, w)
		if err != nil {
			return nil, err
		}
		places = places[:0]
		for _, d := range found {
			places = append(places, at[d.ID])
		}
		all = append(all, found...)
	}
	return all, nil
}
