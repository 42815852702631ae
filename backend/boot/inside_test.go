package boot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/backend/api"
)

// letter is a message with attachments, given as name and text.
func letter(subject string, attachments ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From: ann@example.org\nSubject: %s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nThe letter about %s.\n", subject, subject)
	for i := 0; i+1 < len(attachments); i += 2 {
		fmt.Fprintf(&b, "--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=%q\n\n%s\n", attachments[i], attachments[i+1])
	}
	return b.String() + "--b--\n"
}

// Attachments are documents of their own that share the fate of their message.
func TestAttachments(t *testing.T) {
	r, folder := newReader(t, Options{}), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mail.eml", letter("rent", "invoice.md", "# Invoice\n\nQuinces, twelve pounds.", "../invoice.md", "Medlars, two pounds."))
	write("bad.eml", "no message at all")
	write("note.md", "An ordinary note.")
	if _, err := r.AddSource(t.Context(), api.AddSourceRequest{Path: folder, Name: "mails"}); err != nil {
		t.Fatal(err)
	}
	run := r.apply(api.ApplyRequest{})
	if run.Summary.Added != 4 || len(run.Summary.Failed) != 1 || run.Summary.Failed[0].Path != "bad.eml" {
		t.Fatalf("%+v", run.Summary)
	}
	r.finds("quinces", "mail.eml/invoice.md")
	r.finds("medlars", "mail.eml/invoice (2).md")
	found, err := r.Search(t.Context(), api.SearchRequest{Query: "medlars", Mode: "keyword"})
	if err != nil || found.Hits[0].Title != "invoice (2).md in mail.eml" {
		t.Errorf("%+v, %v", found.Hits, err)
	}
	answer, err := r.Ask(t.Context(), api.AskRequest{Question: "How many pounds of medlars?"})
	if err != nil || len(answer.Citations) == 0 || answer.Citations[0].Path != "mail.eml/invoice (2).md" || answer.Citations[0].State == "stale" {
		t.Errorf("%+v, %v", answer, err)
	}
	medlars := found.Hits[0].Document
	if p, err := r.DocumentPath(t.Context(), medlars); err != nil || p != filepath.Join(folder, "mail.eml") {
		t.Errorf("%s, %v", p, err)
	}
	if p := r.plan(); p.Summary.Unchanged != 4 || p.Summary.Added+p.Summary.Updated+p.Summary.Removed != 0 {
		t.Errorf("again: %+v", p.Summary)
	}

	// Moved with its message: nothing is embedded, ids stay.
	if err := os.Rename(filepath.Join(folder, "mail.eml"), filepath.Join(folder, "rent.eml")); err != nil {
		t.Fatal(err)
	}
	run = r.apply(api.ApplyRequest{})
	if run.Summary.Moved != 3 || run.Summary.Embedded != 0 || run.Summary.Added+run.Summary.Removed != 0 {
		t.Errorf("moved: %+v", run.Summary)
	}
	r.finds("medlars", "rent.eml/invoice (2).md")
	if d, err := r.Document(t.Context(), api.DocumentRequest{Document: medlars}); err != nil || d.Title != "invoice (2).md in rent.eml" || d.Stale {
		t.Errorf("%+v, %v", d, err)
	}

	// One attachment changes, one goes, one comes.
	write("rent.eml", letter("rent", "invoice.md", "# Invoice\n\nPlums, twelve pounds.", "terms.md", "Payable at once."))
	p := r.plan()
	want := map[string]string{
		"bad.eml": "failed", "rent.eml": "updated", "rent.eml/invoice.md": "updated",
		"rent.eml/invoice (2).md": "removed", "rent.eml/terms.md": "added",
	}
	for _, a := range p.Actions {
		if want[a.Path] != a.Action {
			t.Errorf("%s: %s (%s)", a.Path, a.Action, a.Reason)
		}
		delete(want, a.Path)
	}
	if len(want) > 0 {
		t.Errorf("not planned: %v", want)
	}
	r.apply(api.ApplyRequest{Plan: p.ID})
	r.finds("medlars")
	r.finds("quinces")
	r.finds("payable", "rent.eml/terms.md")

	// Damaged, it says nothing about what was in it.
	good, err := os.ReadFile(filepath.Join(folder, "rent.eml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "rent.eml")); err != nil {
		t.Fatal(err)
	}
	if p := r.plan(); p.Summary.Removed != 3 {
		t.Errorf("removed with its message: %+v", p.Summary)
	}
	write("rent.eml", string(good))
	if p := r.plan(); p.Summary.Removed != 0 || p.Summary.Unchanged != 4 {
		t.Errorf("back: %+v", p.Summary)
	}
	if err := os.Remove(filepath.Join(folder, "rent.eml")); err != nil {
		t.Fatal(err)
	}
	r.apply(api.ApplyRequest{})
	r.finds("payable")
	r.finds("ordinary", "note.md")
	if docs := r.actions(r.plan()); len(docs) != 1 { // bad.eml
		t.Errorf("%v", docs)
	}
}

// A mailbox has the attachments of all its messages; those of messages that
// stay keep theirs, whatever comes before.
func TestAttachmentsOfAMailbox(t *testing.T) {
	r, folder := newReader(t, Options{}), t.TempDir()
	box := func(subjects ...string) {
		t.Helper()
		var b strings.Builder
		for _, s := range subjects {
			b.WriteString("From ann Fri Mar  1 10:00:00 2024\nMessage-ID: <" + s + "@example.org>\n" + letter(s, "list.txt", "A list of "+s+" words.") + "\n")
		}
		if err := os.WriteFile(filepath.Join(folder, "in.mbox"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	box("alpha", "beta")
	if _, err := r.AddSource(t.Context(), api.AddSourceRequest{Path: folder}); err != nil {
		t.Fatal(err)
	}
	if run := r.apply(api.ApplyRequest{}); run.Summary.Added != 3 {
		t.Fatalf("%+v", run.Summary)
	}
	before := r.found("beta")
	box("gamma", "beta")
	if run := r.apply(api.ApplyRequest{}); run.Summary.Added != 1 || run.Summary.Removed != 1 || run.Summary.Updated != 1 {
		t.Errorf("%+v", run.Summary)
	}
	if after := r.found("beta"); !slices.Equal(before, after) || len(after) != 2 {
		t.Errorf("%q, then %q", before, after)
	}
}
