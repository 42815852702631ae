package service_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

// spoil changes the library behind its back.
func (l *library) spoil(query string) {
	l.t.Helper()
	db, err := sql.Open("sqlite", l.path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(l.t.Context(), query); err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) verify(r api.VerifyRequest) api.Verification {
	l.t.Helper()
	return must[api.Verification](l.t)(l.Verify(l.t.Context(), r, nil))
}

// codes are those of a report's findings, each once.
func codes(v api.Verification) (list []string) {
	for _, f := range v.Findings {
		if !slices.Contains(list, f.Code) {
			list = append(list, f.Code)
		}
	}
	return list
}

// What verifying finds is a repair in the next plan, says so, and is mended by
// applying it.
func TestVerifyMarksForTheNextPlan(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow.\n")
	l.write("b.md", "# B\n\nBarrels roll.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	if v := l.verify(api.VerifyRequest{All: true, Files: true}); len(v.Findings) > 0 || v.Sampled != 2 || v.Files != 2 {
		t.Fatalf("verified %+v", v)
	}
	l.spoil("DELETE FROM blocks WHERE segment = (SELECT min(num) FROM segments)")
	v := l.verify(api.VerifyRequest{})
	i := slices.IndexFunc(v.Findings, func(f api.VerifyFinding) bool { return f.Code == "terms_wrong" })
	if i < 0 || v.Marked == 0 {
		t.Fatalf("verified %+v", v)
	}
	f := v.Findings[i]
	if f.Path == "" || f.Index == nil || *f.Index != 0 || f.Means == "" || !strings.Contains(f.Fix, "--repair") {
		t.Errorf("finding %+v", f)
	}
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if p.Summary.Repair != v.Marked || p.Actions[0].ReasonCode != "damaged" || p.Actions[0].Reason != "passages are missing from the index" {
		t.Errorf("plan %+v", p)
	}
	l.apply(api.ApplyRequest{})
	if v := l.verify(api.VerifyRequest{All: true, Files: true}); len(v.Findings) > 0 {
		t.Errorf("after the repair: %+v", v.Findings)
	}
}

// Damage that no document is to be read for is mended at once.
func TestRepairWithoutDocuments(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	l.spoil("UPDATE generations SET length = length + 1")
	v := l.verify(api.VerifyRequest{})
	if !slices.Equal(codes(v), []string{"statistics_wrong"}) || v.Marked != 0 || v.Findings[0].Path != "" {
		t.Fatalf("verified %+v", v)
	}
	if p := must[api.Plan](t)(l.Repair(t.Context(), nil)); len(p.Actions) > 0 {
		t.Errorf("planned %+v", p.Actions)
	}
	if v := l.verify(api.VerifyRequest{}); len(v.Findings) > 0 {
		t.Errorf("after the repair: %+v", v.Findings)
	}
}

// While somebody writes, verifying reads; only its word for the next plan has
// to wait, and it says so.
func TestVerifyWhileBusy(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	l.spoil("DELETE FROM blocks")
	other := l.another()
	w, err := other.parts.Store.Acquire(t.Context(), "another process")
	if err != nil {
		t.Fatal(err)
	}
	v := l.verify(api.VerifyRequest{})
	if len(v.Findings) == 0 || v.Marked != 0 || !slices.ContainsFunc(v.Notes, func(n string) bool { return strings.Contains(n, "Another process writes") }) {
		t.Errorf("verified %+v", v)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	if v := l.verify(api.VerifyRequest{}); v.Marked != 1 {
		t.Errorf("verified %+v", v)
	}
}

// A document whose source is lost has no file: no place on disk is taken for
// one, and it is said what to do.
func TestDocumentsWithoutSource(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	id := l.documents()["a.md"]
	l.spoil("DELETE FROM sources")
	for name, look := range map[string]func() error{
		"chunks":   func() error { _, err := l.Chunks(t.Context(), api.ChunksRequest{Document: id}); return err },
		"page":     func() error { _, err := l.Page(t.Context(), api.PageRequest{Document: id, Page: 1}); return err },
		"original": func() error { _, _, err := l.Original(t.Context(), id); return err },
		"path":     func() error { _, err := l.DocumentPath(t.Context(), id); return err },
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, look(), api.CodeNotFound, "the source of a.md", "ibid verify --repair")
		})
	}
	if d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: id})); len(d.Segments) == 0 || d.Stale || d.Gone {
		t.Errorf("what is stored of it: %+v", d)
	}
}

func TestVerifyRefuses(t *testing.T) {
	l := open(t, nil)
	_, err := l.Verify(t.Context(), api.VerifyRequest{Sample: -1}, nil)
	fails(t, err, api.CodeInvalid, "-1")
	_, err = l.Verify(t.Context(), api.VerifyRequest{Sources: []string{"no"}}, nil)
	fails(t, err, api.CodeNotFound, "no")
}

// Purging leaves nothing of a source, and adding it again makes all anew (S12).
func TestPurgeLeavesNothing(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# A\n\nApples grow.\n")
	l.write("b.md", "# B\n\nBarrels roll.\n")
	first := l.add()
	l.apply(api.ApplyRequest{})
	must[api.RemoveSourceResponse](t)(l.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: first.ID, Purge: true}))
	if v := l.verify(api.VerifyRequest{}); len(v.Findings) > 0 {
		t.Errorf("found %+v", v.Findings)
	}
	db, err := sql.Open("sqlite", l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range []string{"sources", "documents", "texts", "made", "chunks", "fields", "vectors", "codes", "code_blocks", "segments", "blocks", "tallies"} {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows of %s are left (%v)", n, table, err)
		}
	}
	l.add()
	run := l.apply(api.ApplyRequest{})
	if s := run.Summary; s.Added != 2 || s.Embedded != 2 || s.Reused != 0 {
		t.Errorf("added again: %+v", s)
	}
	if v := l.verify(api.VerifyRequest{All: true, Files: true}); len(v.Findings) > 0 {
		t.Errorf("found %+v", v.Findings)
	}
}

func TestBackupRefuses(t *testing.T) {
	l := onDisk(t)
	fails(t, l.Backup(t.Context(), "library.db"), api.CodeInvalid, "absolute")
	path := filepath.Join(t.TempDir(), corpus.NewID().String())
	if err := l.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	fails(t, l.Backup(t.Context(), path), api.CodeInvalid, "exists already")
}
