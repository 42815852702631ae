package service_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/service"
	"ibid/backend/store"
)

// ingest takes documents in.
func (l *library) ingest(docs ...api.IngestDocument) api.IngestResponse {
	l.t.Helper()
	return must[api.IngestResponse](l.t)(l.Ingest(l.t.Context(), api.IngestRequest{Documents: docs}))
}

func (l *library) hits(r api.SearchRequest) []string {
	l.t.Helper()
	found := must[api.SearchResponse](l.t)(l.Search(l.t.Context(), r))
	ids := []string{}
	for _, h := range found.Hits {
		ids = append(ids, h.Path)
	}
	return ids
}

func TestIngest(t *testing.T) { // A9
	l := open(t, nil)
	out := l.ingest(api.IngestDocument{
		ID: "manuals/1", Title: "The manual", URI: "https://example.org/m", Text: "The zirconium valve is turned by hand in the evening.", Metadata: map[string]any{"kind": "manual", "year": 2026.},
	}, api.IngestDocument{ID: "b", Text: "Nothing of interest."})
	if out.Added != 2 || out.Embedded != 2 || out.Source.Kind != "inline" || out.Source.Name != "inline" || out.Source.Documents != 2 || out.Source.State != "ready" {
		t.Errorf("%+v", out)
	}
	found := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: "zirconium", Filters: map[string][]string{"year": {"2026"}, "kind": {"manual", "x"}}}))
	if len(found.Hits) != 1 || found.Hits[0].Title != "The manual" || found.Hits[0].URI != "https://example.org/m" || found.Hits[0].SourceName != "inline" {
		t.Fatalf("hits %+v", found.Hits)
	}
	doc := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: found.Hits[0].Document, Chunk: found.Hits[0].Chunk}))
	if doc.Stale || doc.URI != "https://example.org/m" || doc.Metadata["kind"] != "manual" || len(doc.Segments) == 0 || !doc.Segments[0].Mark {
		t.Errorf("document %+v", doc)
	}
	answer := must[api.Answer](t)(l.Ask(t.Context(), api.AskRequest{Question: "When is the zirconium valve turned by hand?"}))
	if !answer.Sufficient || answer.Citations[0].URI != "https://example.org/m" || answer.Citations[0].State != "supported" {
		t.Errorf("answer %+v", answer)
	}
	if _, err := l.DocumentPath(t.Context(), found.Hits[0].Document); err == nil {
		t.Error("an inline document has a file")
	}
	if status := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); status.Documents != 2 || status.Sources != 1 || status.Embedded != 2 {
		t.Errorf("status %+v", status)
	}
	again := l.ingest(api.IngestDocument{ID: "b", Text: "Nothing of interest."})
	if again.Unchanged != 1 || again.Embedded != 0 {
		t.Errorf("again: %+v", again)
	}
	gone := must[api.DeleteDocumentsResponse](t)(l.DeleteDocuments(t.Context(), api.DeleteDocumentsRequest{IDs: []string{"b", "c"}}))
	if gone.Deleted != 1 || !slices.Equal(gone.Unknown, []string{"c"}) {
		t.Errorf("deleted %+v", gone)
	}
	if got := l.hits(api.SearchRequest{Query: "interest", Mode: "keyword"}); len(got) != 0 {
		t.Errorf("a deleted document is found: %v", got)
	}
	plan := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if len(plan.Actions) != 0 || len(plan.Sources) != 1 || plan.Sources[0].State != "complete" {
		t.Errorf("plan %+v", plan)
	}
	removed := must[api.RemoveSourceResponse](t)(l.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: "inline"}))
	if removed.Documents != 1 {
		t.Errorf("removed %+v", removed)
	}
}

// TestIngestRefuses: whatever is wrong, the library is as before.
func TestIngestRefuses(t *testing.T) { // E6, E8
	l := open(t, nil)
	l.write("a.md", "# Notes\n\nZirconium.")
	l.add()
	l.apply(api.ApplyRequest{})
	doc := api.IngestDocument{ID: "x", Text: "text"}
	with := func(edit func(r *api.IngestRequest)) api.IngestRequest {
		r := api.IngestRequest{Documents: []api.IngestDocument{doc}}
		edit(&r)
		return r
	}
	for _, test := range []struct {
		name string
		r    api.IngestRequest
		code string
		say  string
	}{
		{"none", api.IngestRequest{}, api.CodeInvalid, "no documents"},
		{"empty text", with(func(r *api.IngestRequest) { r.Documents[0].Text = "" }), api.CodeInvalid, `document "x": its text is empty`},
		{"reserved", with(func(r *api.IngestRequest) { r.Documents[0].Metadata = map[string]any{"source": "y"} }), api.CodeInvalid, "reserved"},
		{"too many", with(func(r *api.IngestRequest) { r.Documents = make([]api.IngestDocument, 1001) }), api.CodeLimit, "at most 1000"},
		{"a folder", with(func(r *api.IngestRequest) { r.Source = "notes" }), api.CodeInvalid, `the source "notes" is a folder`},
		{"odd name", with(func(r *api.IngestRequest) { r.Source = "a\nb" }), api.CodeInvalid, "the name"},
		{"odd run", with(func(r *api.IngestRequest) { r.RunID = "a b" }), api.CodeInvalid, "run id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := l.Ingest(t.Context(), test.r)
			fails(t, err, test.code, test.say)
		})
	}
	l.model.fails.Store(true)
	_, err := l.Ingest(t.Context(), api.IngestRequest{Documents: []api.IngestDocument{doc}})
	fails(t, err, api.CodeUnavailable, "gave no vectors")
	for _, ids := range [][]string{nil, {""}, {"a", "a"}, make([]string, 1001), {"/x"}} {
		if _, err := l.DeleteDocuments(t.Context(), api.DeleteDocumentsRequest{Source: "notes", IDs: ids}); err == nil {
			t.Errorf("ids %.20q were deleted", ids)
		}
	}
	_, err = l.DeleteDocuments(t.Context(), api.DeleteDocumentsRequest{Source: "notes", IDs: []string{"a.md"}})
	fails(t, err, api.CodeInvalid, "goes with its file")
	_, err = l.DeleteDocuments(t.Context(), api.DeleteDocumentsRequest{IDs: []string{"a"}})
	fails(t, err, api.CodeNotFound, `source "inline"`)
	if got := slices.Collect(func(yield func(string) bool) {
		for p := range l.documents() {
			yield(p)
		}
	}); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("documents %v", got)
	}
}

// TestIngestIsCanceled: by its run's id, and then nothing was taken in.
func TestIngestIsCanceled(t *testing.T) {
	l := open(t, nil)
	l.model.closed = make(chan struct{})
	feed := l.Subscribe()
	defer feed.Close()
	done := make(chan error, 1)
	go func() {
		_, err := l.Ingest(t.Context(), api.IngestRequest{RunID: "r1", Documents: []api.IngestDocument{{ID: "x", Text: "text"}}})
		done <- err
	}()
	for l.model.calls.Load() == 0 {
		if _, err := feed.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	must[api.Run](t)(l.CancelRun(t.Context(), api.CancelRunRequest{ID: "r1"}))
	fails(t, <-done, api.CodeCanceled)
	if got := l.documents(); len(got) != 0 {
		t.Errorf("documents %v", got)
	}
	if run := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: "r1"})); run.State != api.RunCanceled || run.Kind != "ingest" {
		t.Errorf("run %+v", run)
	}
}

// TestIngestConcurrently: requests at once, from two processes, all arrive.
func TestIngestConcurrently(t *testing.T) { // G8
	l := onDisk(t)
	other := l.another()
	var group sync.WaitGroup
	errs := make(chan error, 16)
	for i := range 8 {
		for _, s := range []*service.Service{l.Service, other.Service} {
			group.Go(func() {
				_, err := s.Ingest(t.Context(), api.IngestRequest{Source: "shared", Documents: []api.IngestDocument{{ID: fmt.Sprintf("%p-%d", s, i), Text: fmt.Sprint("text ", i)}}})
				errs <- err
			})
		}
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	sources := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})).Sources
	total := 0
	for _, s := range sources {
		total += s.Documents
	}
	if total != 16 || len(sources) != 1 {
		t.Errorf("%d documents in %d sources, want 16 in one", total, len(sources))
	}
}

// TestIngestWithTheLibrarysModel: what the settings ask for takes a plan; until
// then documents are taken in with the model that the library has.
func TestIngestWithTheLibrarysModel(t *testing.T) { // D8, F5
	l := open(t, nil)
	l.ingest(api.IngestDocument{ID: "a", Text: "Zirconium."})
	l.parts.Config = configured(t, map[string]string{"embeddings": "none"})
	l.reopened()
	if out := l.ingest(api.IngestDocument{ID: "b", Text: "Niobium."}); out.Embedded != 1 {
		t.Errorf("%+v", out)
	}
	plan := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if !plan.Build || plan.Summary.Updated != 2 || plan.Actions[0].ReasonCode != "model_changed" {
		t.Fatalf("plan %+v", plan)
	}
	run := l.apply(api.ApplyRequest{Plan: plan.ID})
	if run.State != api.RunDone || run.Summary.Updated != 2 {
		t.Fatalf("run %+v", run)
	}
	if got := l.hits(api.SearchRequest{Query: "niobium", Mode: "keyword"}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("found %v", got)
	}
	if out := l.ingest(api.IngestDocument{ID: "c", Text: "Hafnium."}); out.Added != 1 || out.Embedded != 0 {
		t.Errorf("without a model: %+v", out)
	}
}

// TestRenamedInlineSource: a name that is free again makes another source.
func TestRenamedInlineSource(t *testing.T) {
	l := open(t, nil)
	l.ingest(api.IngestDocument{ID: "a", Text: "Zirconium."})
	must[api.Source](t)(l.ChangeSource(t.Context(), api.ChangeSourceRequest{Source: "inline", Name: "archive"}))
	out := l.ingest(api.IngestDocument{ID: "a", Text: "Niobium."})
	if out.Added != 1 || out.Source.Path != "inline:inline 2" {
		t.Errorf("%+v", out)
	}
	list := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})).Sources
	if len(list) != 2 || list[0].Documents != 1 || list[1].Documents != 1 || list[0].State != "ready" {
		t.Errorf("sources %+v", list)
	}
}

// TestAuditHoldsNoPayload: nothing of what was written, asked, named or set is
// in any event, done or failed (K3).
func TestAuditHoldsNoPayload(t *testing.T) {
	l := open(t, nil)
	const secret = "zirconium"
	l.write(secret+".md", "# "+secret+"\n\nThe "+secret+" is secret.")
	ctx := t.Context()
	path, name := l.notes, secret+" notes"
	source := must[api.Source](t)(l.AddSource(ctx, api.AddSourceRequest{Path: path, Name: name}))
	ignore := func(_ any, _ error) {}
	ignore(l.AddSource(ctx, api.AddSourceRequest{Path: path + "/" + secret}))
	ignore(l.ChangeSource(ctx, api.ChangeSourceRequest{Source: name, Name: secret + " 2"}))
	ignore(l.ChangeSource(ctx, api.ChangeSourceRequest{Source: secret}))
	ignore(l.RemoveSource(ctx, api.RemoveSourceRequest{Source: secret}))
	l.apply(api.ApplyRequest{RunID: "run-1"})
	ignore(l.Apply(ctx, api.ApplyRequest{RunID: secret + " run"}))
	ignore(l.Apply(ctx, api.ApplyRequest{RunID: "run-2", Plan: secret}))
	l.remove(secret + ".md")
	l.ingest(api.IngestDocument{ID: secret, Title: secret, URI: "https://" + secret + ".example", Text: secret, Metadata: map[string]any{secret: secret}})
	ignore(l.Ingest(ctx, api.IngestRequest{Source: secret, Documents: []api.IngestDocument{{ID: secret, Text: " "}}}))
	ignore(l.DeleteDocuments(ctx, api.DeleteDocumentsRequest{IDs: []string{secret, secret + "2"}}))
	ignore(l.DeleteDocuments(ctx, api.DeleteDocumentsRequest{Source: secret, IDs: []string{secret}}))
	ignore(l.SetConfig(ctx, api.SetConfigRequest{Key: "database", Value: "postgres://ada:" + secret + "@example.org/" + secret}))
	ignore(l.SetConfig(ctx, api.SetConfigRequest{Key: secret, Value: secret}))
	ignore(l.SetConfig(ctx, api.SetConfigRequest{Key: "embeddings", Value: secret}))
	ignore(l.PauseRun(ctx, api.PauseRunRequest{ID: secret}))
	ignore(l.PauseRun(ctx, api.PauseRunRequest{}))
	ignore(l.ResumeRun(ctx, api.PauseRunRequest{}))
	ignore(l.CancelRun(ctx, api.CancelRunRequest{ID: secret}))
	ignore(l.Search(ctx, api.SearchRequest{Query: secret}))
	ignore(l.Ask(ctx, api.AskRequest{Question: secret}))
	ignore(l.RemoveSource(ctx, api.RemoveSourceRequest{Source: source.ID, Purge: true}))

	var kept []store.Event
	if err := l.parts.Store.View(ctx, func(v store.Reader) (err error) {
		kept, err = v.Events(ctx, store.EventQuery{Limit: store.MaxEvents})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range kept {
		seen[e.Action+" "+e.Outcome] = true
		if text := strings.ToLower(fmt.Sprintf("%+v", e)); strings.Contains(text, secret) || strings.Contains(text, path) || strings.Contains(text, "example") {
			t.Errorf("event %+v tells what it was about", e)
		}
	}
	for _, want := range []string{
		"source.add done", "source.add failed", "source.change done", "source.change failed", "source.remove done", "source.remove failed",
		"run.apply started", "run.apply done", "run.apply failed", "documents.ingest done", "documents.ingest failed",
		"documents.delete done", "documents.delete failed", "config.set.database done", "config.set failed", "config.set.embeddings failed",
		"run.pause done", "run.pause failed", "run.resume done", "run.cancel failed",
	} {
		if !seen[want] {
			t.Errorf("no event %q", want)
		}
	}
	list := must[api.AuditResponse](t)(l.Audit(ctx, api.AuditRequest{Limit: 2}))
	if len(list.Events) != 2 || list.Kept != store.MaxEvents || list.Events[0].Action != "source.remove" || list.Events[0].Source != source.ID || list.Events[0].Counts["documents"] != 1 {
		t.Errorf("audit %+v", list)
	}
	for _, bad := range []api.AuditRequest{{Limit: -1}, {Limit: store.MaxEvents + 1}, {Since: "yesterday"}} {
		_, err := l.Audit(ctx, bad)
		fails(t, err, api.CodeInvalid)
	}
}

// TestAuditTellsWhoAsked: the process, or a request of its own.
func TestAuditTellsWhoAsked(t *testing.T) { // K3
	l := open(t, nil)
	l.parts.Trigger = api.TriggerServer
	l.reopened()
	l.write("a.md", "# Notes\n\nZirconium.")
	l.add()
	ctx := api.WithTrigger(t.Context(), api.TriggerAPI)
	_, err := l.Ingest(ctx, api.IngestRequest{RunID: "r-1", Documents: []api.IngestDocument{{ID: "a", Text: "text"}, {ID: "b", Text: "more"}}})
	if err != nil {
		t.Fatal(err)
	}
	feed := l.Subscribe()
	defer feed.Close()
	run, err := l.Apply(ctx, api.ApplyRequest{RunID: "r-2"})
	if err != nil {
		t.Fatal(err)
	}
	l.wait(feed, run.ID)
	var got []string
	for _, e := range must[api.AuditResponse](t)(l.Audit(t.Context(), api.AuditRequest{})).Events {
		got = append(got, strings.TrimSpace(fmt.Sprintln(e.Trigger, e.Action, e.Outcome, e.Run, e.Counts, len(e.Documents))))
	}
	want := []string{
		"api run.apply done r-2 map[added:1 embedded:1] 0",
		"api run.apply started r-2 map[] 0",
		"api documents.ingest done r-1 map[added:2 documents:2 embedded:2 passages:2] 2",
		"server source.add done  map[] 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestAuditOfAFailingRun: a run that never got as far as writing is told of.
func TestAuditOfAFailingRun(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", "# Notes\n\nZirconium.")
	l.add()
	w, err := l.another().parts.Store.Acquire(t.Context(), "somebody else")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, w.Release()) }()
	run := l.apply(api.ApplyRequest{RunID: "r-1"})
	if run.State != api.RunFailed {
		t.Fatalf("run %+v", run)
	}
	e := must[api.AuditResponse](t)(l.Audit(t.Context(), api.AuditRequest{Limit: 1})).Events[0]
	if e.Action != "run.apply" || e.Outcome != "failed" || e.Code != api.CodeBusy || e.Run != "r-1" {
		t.Errorf("event %+v", e)
	}
}
