package service_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

// says searches and fails unless one of the notes has the part; "" wants none
// at all.
func (l *library) says(what, part string) {
	l.t.Helper()
	r := must[api.SearchResponse](l.t)(l.Search(l.t.Context(), api.SearchRequest{Query: "apples"}))
	a := must[api.Answer](l.t)(l.Ask(l.t.Context(), api.AskRequest{Question: "Where do apples grow?"}))
	for kind, notes := range map[string][]string{"search": r.Notes, "answer": a.Notes} {
		has := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, part) })
		if part == "" && len(notes) > 0 || part != "" && !has {
			l.t.Errorf("%s: %s notes %q, want %q", what, kind, notes, part)
		}
	}
}

// A search does nothing but search: it neither reads files nor embeds them,
// answers at once while a run stands still, and says what is known to wait
// (S94).
func TestASearchSaysWhatWaits(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow on trees.\n")
	l.add()
	l.says("nothing applied", "Nothing is indexed yet")
	l.apply(api.ApplyRequest{})
	l.says("all applied", "")

	l.write("b.md", "# B\n\nApples fall in autumn.\n")
	l.write("c.md", "# C\n\nApples are stored in the cellar.\n")
	l.embedsNothing("searching beside changed files", func() {
		l.says("nobody has looked", "")
		l.plan(api.PlanRequest{})
		l.says("planned", "The last plan has 2 changes")
		if n := len(l.documents()); n != 1 {
			t.Errorf("after searching there are %d documents", n)
		}
	})

	// A run that waits for its model: another process's search does not.
	l.model.closed = make(chan struct{})
	other := l.another()
	feed := l.Subscribe()
	defer feed.Close()
	run := must[api.Run](t)(l.Apply(t.Context(), api.ApplyRequest{RunID: corpus.NewID().String()}))
	for e, err := feed.Next(t.Context()); ; e, err = feed.Next(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if s := must[api.Status](t)(other.Status(t.Context(), api.StatusRequest{})); e.RunID == run.ID && s.Documents == 3 {
			break
		}
	}
	for name, here := range map[string]*library{"the process that applies": l, "another process": other} {
		here.says(name, "A run is changing the library")
		here.says(name, "2 of 3 passages have no vector yet")
		if r := must[api.SearchResponse](t)(here.Search(t.Context(), api.SearchRequest{Query: "apples"})); len(r.Hits) != 3 {
			t.Errorf("%s finds %d passages", name, len(r.Hits))
		}
	}
	close(l.model.closed)
	l.wait(feed, run.ID)
	for name, here := range map[string]*library{"the process that applied": l, "another process": other} {
		here.says(name+", at the end", "")
	}

	if err := os.Rename(l.notes, l.notes+" away"); err != nil {
		t.Fatal(err)
	}
	l.plan(api.PlanRequest{})
	l.says("the folder is away", "Not reached when last looked for: notes.")
}

// A long-lived reader sees what another process made, another model's
// generation included, without being opened again (S17).
func TestALongLivedReaderSeesTheNewGeneration(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow on trees.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	reader := l.another()
	reader.finds("apples", "hybrid", "a.md")
	l.write("a.md", "# A\n\nPears grow on trees.\n")
	l.apply(api.ApplyRequest{})
	reader.finds("pears", "keyword", "a.md")

	other := openAt(t, l.path, l.notes, map[string]string{"embeddings": "none"})
	other.write("b.md", "# B\n\nQuinces are hard.\n")
	if run := other.apply(api.ApplyRequest{}); !run.Summary.Switched {
		t.Fatalf("applied: %+v", run)
	}
	for _, process := range []*library{reader, l} {
		process.finds("quinces", "keyword", "b.md")
		_, err := process.Search(t.Context(), api.SearchRequest{Query: "pears", Mode: "vector"})
		fails(t, err, api.CodeUnsupported, "no vectors")
	}
}
