package storetest

import (
	"strings"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// ledgerFind: a place is a file, or a folder with all below it and nothing
// beside it; what several parts name comes once.
func ledgerFind(l *library) {
	t := l.t
	g := l.build()
	for _, path := range []string{"a", "a b", "a.txt", "a/b", "a/b/c", "a0", "a\U0001F5FC/z", "b/a/c", "https://example.org/a?b", "c//d"} {
		l.commit(change(g.ID, path, "text of "+path))
	}
	other := change(g.ID, "same", "text of a/b")
	other.Document.Source = corpus.ID{15: 1}
	l.commit(other)
	b := change(g.ID, "a/b", "text of a/b").Document
	for name, c := range map[string]struct {
		where store.Where
		want  []string
	}{
		"folder and file of one name": {store.Where{Places: map[corpus.ID][]string{source.ID: {"a"}}}, []string{"a", "a/b", "a/b/c"}},
		"folder in folder":            {store.Where{Places: map[corpus.ID][]string{source.ID: {"a/b"}}}, []string{"a/b", "a/b/c"}},
		"two places":                  {store.Where{Places: map[corpus.ID][]string{source.ID: {"a0", "b"}}}, []string{"a0", "b/a/c"}},
		"overlapping places":          {store.Where{Places: map[corpus.ID][]string{source.ID: {"a/b", "a"}}}, []string{"a", "a/b", "a/b/c"}},
		"all of a source":             {store.Where{Places: map[corpus.ID][]string{other.Document.Source: {""}}}, []string{"same"}},
		"character beyond the slash":  {store.Where{Places: map[corpus.ID][]string{source.ID: {"a\U0001F5FC"}}}, []string{"a\U0001F5FC/z"}},
		"address":                     {store.Where{Places: map[corpus.ID][]string{source.ID: {"https://example.org/a?b"}}}, []string{"https://example.org/a?b"}},
		"id that is no path":          {store.Where{Places: map[corpus.ID][]string{source.ID: {"c//d"}}}, []string{"c//d"}},
		"id and place":                {store.Where{IDs: []corpus.ID{b.ID}, Places: map[corpus.ID][]string{source.ID: {"a/b"}}}, []string{"a/b", "a/b/c"}},
		"content, in both sources":    {store.Where{Contents: []corpus.Hash{b.Content}}, []string{"same", "a/b"}},
	} {
		l.view(func(r store.Reader) {
			found, err := r.Find(t.Context(), c.where)
			l.must(err)
			var paths []string
			for _, d := range found {
				paths = append(paths, d.Path)
			}
			if diff := cmp.Diff(c.want, paths); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}

// ledgerPaths: the paths of one source are listed in order, and an error ends that.
func ledgerPaths(l *library) {
	t := l.t
	g := l.build()
	for _, path := range []string{"b", "a/b", "a", "ä"} {
		l.commit(change(g.ID, path, "text of "+path))
	}
	other := change(g.ID, "same", "text")
	other.Document.Source = corpus.ID{15: 1}
	l.commit(other)
	l.view(func(r store.Reader) {
		var paths []string
		l.must(r.Paths(t.Context(), source.ID, func(path string) error {
			paths = append(paths, path)
			return nil
		}))
		if diff := cmp.Diff([]string{"a", "a/b", "b", "ä"}, paths); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
		n := 0
		l.wants(r.Paths(t.Context(), source.ID, func(string) error {
			n++
			return corpus.ErrInvalid
		}), corpus.ErrInvalid)
		if n != 1 {
			t.Errorf("%d paths after an error", n)
		}
	})
}

// ledgerFindNothing: naming nothing finds nothing (S04), and so does naming
// what there is not; what is no place is refused.
func ledgerFindNothing(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "text"))
	l.view(func(r store.Reader) {
		for name, w := range map[string]store.Where{
			"nothing":     {},
			"no places":   {Places: map[corpus.ID][]string{source.ID: nil}},
			"other ids":   {IDs: []corpus.ID{corpus.NewID()}, Contents: []corpus.Hash{corpus.HashBytes([]byte("x"))}},
			"other place": {Places: map[corpus.ID][]string{source.ID: {"b"}, corpus.NewID(): {""}}},
		} {
			if found, err := r.Find(t.Context(), w); err != nil || len(found) != 0 {
				t.Errorf("%s: %v, %v", name, found, err)
			}
		}
		_, err := r.Find(t.Context(), store.Where{Places: map[corpus.ID][]string{source.ID: {"/a"}}})
		l.wants(err, corpus.ErrInvalid)
		_, err = r.Rows(t.Context(), "documents", "secrets")
		l.wants(err, corpus.ErrInvalid)
		if made, err := r.RecipesOf(t.Context(), 0, nil); err != nil || len(made) != 0 {
			t.Errorf("recipes of no documents: %v, %v", made, err)
		}
	})
}

// ledgerTally: the counts follow documents that change their source, language
// and state, and go with their source.
func ledgerTally(l *library) {
	t := l.t
	g := l.build()
	second := corpus.ID{15: 1}
	check := func(doing string, want map[corpus.ID]store.Tally) {
		t.Helper()
		l.view(func(r store.Reader) {
			got, err := r.Tally(t.Context(), 0)
			l.must(err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", doing, diff)
			}
		})
	}
	check("empty", map[corpus.ID]store.Tally{})
	a, b := change(g.ID, "a", "one", "two"), change(g.ID, "b", "two")
	l.commit(a, b)
	check("committed", map[corpus.ID]store.Tally{source.ID: {Documents: 2, Chunks: 3}})
	l.embed()
	check("embedded", map[corpus.ID]store.Tally{source.ID: {Documents: 2, Chunks: 3, Embedded: 3}})
	d, err := l.document(a.Document.ID)
	l.must(err)
	d.Source, d.Language, d.State = second, "de", corpus.DocumentFailed
	l.must(l.w.Record(t.Context(), d))
	check("moved and failed", map[corpus.ID]store.Tally{source.ID: {Documents: 1, Chunks: 1, Embedded: 1}, second: {Documents: 1, Failed: 1, Chunks: 2, Embedded: 2}})
	if languages := l.info().Languages; languages["de"] != 2 {
		t.Errorf("languages %v", languages)
	}
	l.must(l.w.RemoveSource(t.Context(), second, false))
	check("source removed", map[corpus.ID]store.Tally{source.ID: {Documents: 1, Chunks: 1, Embedded: 1}})
	l.must(l.w.Remove(t.Context(), store.Ref{Document: b.Document.ID}))
	check("removed", map[corpus.ID]store.Tally{})
}

// vectorsPendingOf: some documents' passages come in the order in which the
// documents are named, one an input, as many as are wanted.
func vectorsPendingOf(l *library) {
	t := l.t
	g := l.build()
	a, b, c := change(g.ID, "a", "one", "two"), change(g.ID, "b", "three", "four"), change(g.ID, "c", "five", "six")
	l.commit(a, b, c)
	check := func(name string, documents []corpus.ID, limit int, want ...string) {
		t.Helper()
		l.view(func(r store.Reader) {
			for _, generation := range []int64{0, g.ID} {
				list, err := r.PendingOf(t.Context(), generation, documents, limit)
				l.must(err)
				var got []string
				for _, p := range list {
					got = append(got, p.Input[strings.LastIndex(p.Input, "\n")+1:])
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
	check("two documents", []corpus.ID{c.Document.ID, a.Document.ID}, 10, "five", "six", "one", "two")
	check("a limit", []corpus.ID{c.Document.ID, a.Document.ID}, 3, "five", "six", "one")
	check("none wanted", []corpus.ID{c.Document.ID}, 0)
	check("no documents", nil, 10)
	check("unknown documents", []corpus.ID{corpus.NewID()}, 10)
	l.must(l.w.PutVectors(t.Context(), space, vectors(c)))
	check("one is embedded", []corpus.ID{c.Document.ID, a.Document.ID}, 10, "one", "two")
}
