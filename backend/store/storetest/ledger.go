package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var ledger = aspect{"Ledger", map[string]func(l *library){
	"DocumentsInOrder": ledgerOrder,
	"NestedReading":    ledgerNested,
	"RecordMoves":      ledgerRecord,
	"RecordFailures":   ledgerFailed,
	"RecordStale":      ledgerStale,
	"Touch":            ledgerTouch,
	"Info":             ledgerInfo,
	"RevisionGrows":    ledgerRevision,
	"Find":             ledgerFind,
	"FindNothing":      ledgerFindNothing,
	"Paths":            ledgerPaths,
	"Tally":            ledgerTally,
}}

func (l *library) paths(of corpus.ID) (paths []string) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		for d, err := range r.Documents(l.t.Context(), of) {
			l.must(err)
			paths = append(paths, d.Path)
		}
	})
	return paths
}

// ledgerOrder: by source id and path, byte by byte.
func ledgerOrder(l *library) {
	t := l.t
	g := l.build()
	second := corpus.ID{15: 1}
	for _, path := range []string{"b", "a/b", "a b", "B", "é", "a.txt", "z\U0001F5FC"} {
		l.commit(change(g.ID, path, "text"))
	}
	other := change(g.ID, "m", "text")
	other.Document.Source = second
	l.commit(other)
	want := []string{"B", "a b", "a.txt", "a/b", "b", "z\U0001F5FC", "é"}
	if diff := cmp.Diff(want, l.paths(source.ID)); diff != "" {
		t.Errorf("documents of the source (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append([]string{"m"}, want...), l.paths(corpus.NoID)); diff != "" {
		t.Errorf("all documents (-want +got):\n%s", diff)
	}
	if got := l.paths(corpus.NewID()); len(got) != 0 {
		t.Errorf("documents of an unknown source: %v", got)
	}
	l.view(func(r store.Reader) {
		for _, err := range r.Documents(l.t.Context(), corpus.NoID) {
			l.must(err)
			break // an unfinished sequence must not disturb what follows
		}
		if _, err := r.Info(l.t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// ledgerNested: the reader may be used while a sequence runs.
func ledgerNested(l *library) {
	t := l.t
	g := l.build()
	for _, path := range []string{"a", "b", "c"} {
		l.commit(change(g.ID, path, "text of "+path))
	}
	n := 0
	l.view(func(r store.Reader) {
		for d, err := range r.Documents(l.t.Context(), corpus.NoID) {
			l.must(err)
			for inner, err := range r.Documents(l.t.Context(), source.ID) {
				l.must(err)
				text, _, err := r.Text(l.t.Context(), 0, inner.ID)
				l.must(err)
				if text != "text of "+inner.Path {
					t.Errorf("text of %s is %q", inner.Path, text)
				}
				n++
			}
			if chunks, err := r.Chunks(l.t.Context(), 0, d.ID); err != nil || len(chunks) != 1 {
				t.Errorf("passages of %s: %v, %v", d.Path, chunks, err)
			}
		}
	})
	if n != 9 {
		t.Errorf("%d documents seen, want 9", n)
	}
}

func ledgerRecord(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "old name", "one")
	l.commit(c)
	l.embed()
	d := c.Document
	d.Revision, d.Path, d.Title, d.Metadata = 1, "new name", "New", corpus.Metadata{"k": "v"}
	l.must(l.w.Record(l.t.Context(), d))
	d.Revision, d.Chunks, d.Embedded = 2, 1, 1
	got, err := l.document(d.ID)
	l.must(err)
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	l.view(func(r store.Reader) {
		text, revision, err := r.Text(l.t.Context(), 0, d.ID)
		if l.must(err); text != "one" || revision != 1 {
			t.Errorf("text %q of revision %d, want that of the commit", text, revision)
		}
		passages, err := r.Fetch(l.t.Context(), []corpus.ID{c.Entries[0].Chunk.ID})
		if l.must(err); len(passages) != 1 || passages[0].Document.Path != "new name" || passages[0].Revision != 1 {
			t.Errorf("passage %+v", passages)
		}
	})
	again := from(2, change(g.ID, "old name", "one", "two"))
	again.Document.Path = "new name"
	if done := l.commit(again); done[0].Kept+done[0].Relocated != 1 || done[0].Added != 1 {
		t.Errorf("committed %+v, want the moved document's passage kept", done[0])
	}
}

func ledgerFailed(l *library) {
	t := l.t
	d := change(1, "broken.pdf").Document
	d.State, d.Error = corpus.DocumentFailed, "encrypted"
	l.must(l.w.Record(l.t.Context(), d))
	d.Revision = 1
	got, err := l.document(d.ID)
	l.must(err)
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if info := l.info(); info.Documents != 1 || info.Failed != 1 || info.Rows["texts"] != 0 {
		t.Errorf("info %+v", info)
	}
	l.view(func(r store.Reader) {
		_, _, err := r.Text(l.t.Context(), 0, d.ID)
		l.wants(err, corpus.ErrNotFound)
	})
	g := l.build()
	l.commit(from(1, change(g.ID, "broken.pdf", "readable now")))
	if info := l.info(); info.Failed != 0 || info.Chunks != 1 {
		t.Errorf("info %+v", info)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: d.ID, Revision: 2}))
}

func ledgerStale(l *library) {
	g := l.build()
	a, b := change(g.ID, "a", "one"), change(g.ID, "b", "two")
	l.commit(a, b)
	a.Document.Revision, a.Document.Title = 1, "New"
	l.unchanged(func() {
		for _, revision := range []int64{0, 2} {
			b.Document.Revision = revision
			l.wants(l.w.Record(l.t.Context(), a.Document, b.Document), corpus.ErrStale)
		}
		unknown := change(g.ID, "c").Document
		unknown.Revision = 1
		l.wants(l.w.Record(l.t.Context(), a.Document, unknown), corpus.ErrStale)
	})
}

func ledgerTouch(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "one")
	l.commit(c)
	f := corpus.Fingerprint{Size: 3, ModTime: epoch.Add(time.Hour).UnixNano() + 7, ChangeTime: -5, HashedAt: 6, Inode: 8, Device: 9}
	l.must(l.w.Touch(l.t.Context(), map[corpus.ID]corpus.Fingerprint{c.Document.ID: f, corpus.NewID(): {}}))
	d, err := l.document(c.Document.ID)
	if l.must(err); d.Fingerprint != f || d.Revision != 1 {
		t.Errorf("revision %d, fingerprint %+v, want 1 and %+v", d.Revision, d.Fingerprint, f)
	}
	found := l.search(store.Query{
		Lexical: &store.Lexical{Terms: []store.Term{{Text: "one"}}, Budget: 1, Limit: 1},
		Filter:  store.Filter{{Field: "modified", Op: store.Range, Values: []any{epoch.Add(time.Hour).Format(time.RFC3339), nil}}},
	})
	if len(found.Lexical) != 1 {
		t.Error("a filter does not see the touched time")
	}
}

func ledgerInfo(l *library) {
	t := l.t
	g := l.build()
	german := func(d *corpus.Document) { d.Language = "de" }
	l.commit(change(g.ID, "a", "one", "two"), with(change(g.ID, "b", "eins"), german), with(change(g.ID, "empty"), german))
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(change(g.ID, "x", "one"))))
	info := l.info()
	if info.Documents != 3 || info.Chunks != 3 || info.Embedded != 1 || info.Failed != 0 || info.Bytes < 0 {
		t.Errorf("info %+v", info)
	}
	if diff := cmp.Diff(map[string]int{"en": 2, "de": 1}, info.Languages); diff != "" {
		t.Errorf("passages by language (-want +got):\n%s", diff)
	}
	revision := info.Revision
	l.commit(change(g.ID, "c", "three"))
	if got := l.info().Revision; got <= revision {
		t.Errorf("revision %d after %d", got, revision)
	}
}

// ledgerRevision: whatever a search could see differently has another revision.
func ledgerRevision(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "one")
	moved := c.Document
	moved.Revision, moved.Path = 1, "b"
	var next store.Generation
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"commit", func() error { _, err := l.w.Commit(l.t.Context(), c); return err }},
		{"vectors", func() error { return l.w.PutVectors(l.t.Context(), space, vectors(c)) }},
		{"record", func() error { return l.w.Record(l.t.Context(), moved) }},
		{"touch", func() error {
			return l.w.Touch(l.t.Context(), map[corpus.ID]corpus.Fingerprint{moved.ID: {ModTime: 1}})
		}},
		{"build", func() (err error) { next, err = l.w.Build(l.t.Context(), space, "analyzer/2"); return err }},
		{"switch", func() error { return l.w.Switch(l.t.Context(), next.ID) }},
		{"remove", func() error { return l.w.Remove(l.t.Context(), store.Ref{Document: moved.ID}) }},
	} {
		before := l.info().Revision
		l.must(step.do())
		if after := l.info().Revision; after <= before {
			t.Errorf("revision %d after %s, was %d", after, step.name, before)
		}
	}
}
