package service_test

import (
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

func TestAsk(t *testing.T) {
	l := open(t, nil)
	l.write("lease.md", "# Lease\n\n## Deposits\n\nThe deposit is three months' rent. It is paid back after the keys are returned.\n")
	l.write("menu.txt", "Soup is served on Mondays.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	id := corpus.NewID().String()
	a := must[api.Answer](t)(l.Ask(t.Context(), api.AskRequest{Question: "How much is the deposit?", RunID: id}))
	if !a.Sufficient || len(a.Citations) == 0 || !strings.Contains(a.Answer, "[Citation 1]") || a.Model != "extractive" {
		t.Fatalf("answer %+v", a)
	}
	c := a.Citations[0]
	if c.Path != "lease.md" || c.State != "supported" || c.Location.Label == "" || !strings.Contains(c.Quote, "three months") {
		t.Errorf("citation %+v", c)
	}
	d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: c.Document, Start: c.Location.Start, End: c.Location.End}))
	marked := ""
	for _, s := range d.Segments {
		if s.Mark {
			marked += s.Text
		}
	}
	if marked != c.Quote {
		t.Errorf("the viewer marks %q, the quote is %q", marked, c.Quote)
	}
	run := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: id}))
	types := map[string]bool{}
	for _, e := range run.Events {
		types[e.Type] = true
	}
	if run.Kind != "ask" || run.State != api.RunDone || !types["progress"] || !types["delta"] || !types["end"] {
		t.Errorf("run %+v with events %v", run, types)
	}

	l.write("lease.md", "# Lease\n\nThere is no deposit any more.\n")
	a = must[api.Answer](t)(l.Ask(t.Context(), api.AskRequest{Question: "How much is the deposit?"}))
	if len(a.Citations) == 0 || a.Citations[0].State != "stale" {
		t.Errorf("the file changed: %+v", a.Citations)
	}
	a = must[api.Answer](t)(l.Ask(t.Context(), api.AskRequest{Question: "Who won the 1966 World Cup?"}))
	if a.Sufficient || len(a.Citations) != 0 || !strings.HasPrefix(a.Answer, "I do not have sufficient documentation") {
		t.Errorf("nothing supports an answer: %+v", a)
	}
	_, err := l.Ask(t.Context(), api.AskRequest{Question: " "})
	fails(t, err, api.CodeInvalid, "question is empty")
	_, err = l.Ask(t.Context(), api.AskRequest{Question: "x", K: 101})
	fails(t, err, api.CodeInvalid, "k is 101")
}
