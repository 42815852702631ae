package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// newestRuns is how many runs are looked at for one that goes on: those that
// began in the same second are in no order.
const newestRuns = 4

// staleness is what is known not to be in the library yet. A search never looks
// for it, let alone does it: it says what others found out.
type staleness struct {
	sources   int
	documents int
	going     bool     // a run that changes documents
	waiting   int      // documents whose changes wait for consent
	planned   int      // documents that the newest plan changes, if it still fits
	away      []string // names of sources that cannot be reached, sorted
}

// staleness gathers what a search is to say.
func (s *Service) staleness(ctx context.Context, info store.Info, sources []corpus.Source) (staleness, error) {
	st := staleness{sources: len(sources), documents: info.Documents}
	_, st.waiting, _ = s.watch.status()
	if p, ok := s.plans.newest(); ok && p.Base.Revision == info.Revision {
		st.planned = p.WriteCount()
	}
	for _, src := range sources {
		if src.Kind != corpus.SourceInline && s.sights.verdict(src.ID.String()) != "" {
			st.away = append(st.away, src.Name)
		}
	}
	slices.Sort(st.away)
	// Records of runs are large: they are read only while somebody writes.
	if holder, err := s.Store.Holder(ctx); err != nil || holder == "" {
		return st, err
	}
	runs, err := s.storedRuns(ctx, newestRuns)
	if err != nil {
		return st, err
	}
	st.going = slices.ContainsFunc(runs, changesDocuments)
	return st, nil
}

// changesDocuments reports whether a run goes on that adds, changes or removes
// documents.
func changesDocuments(r store.Run) bool {
	return r.State == api.RunRunning && (r.Kind == kindApply || r.Kind == kindWatch)
}

// notes say how far what is found may be behind the files.
func (st staleness) notes() (notes []string) {
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	switch {
	case st.going:
		say("A run is changing the library; documents that it has not reached are found as they were.")
	case st.waiting == 1:
		say("1 changed document waits for your consent and is found as it was.")
	case st.waiting > 1:
		say("%s changed documents wait for your consent and are found as they were.", grouped(st.waiting))
	case st.planned == 1:
		say("The last plan has 1 change that is not applied; its document is found as it was.")
	case st.planned > 1:
		say("The last plan has %s changes that are not applied; their documents are found as they were.", grouped(st.planned))
	case st.documents == 0 && st.sources > 0:
		say("Nothing is indexed yet: plan and apply first.")
	case st.documents == 0:
		say("The library has no documents yet: add a folder or a file.")
	}
	if len(st.away) > 0 {
		say("Not reached when last looked for: %s. What was found there before is found as it was.", strings.Join(st.away, ", "))
	}
	return notes
}

// grouped writes a number with thousands separators.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
