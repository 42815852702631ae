package service

import (
	"cmp"
	"context"
	"slices"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Bounds of ReportRequest.
const (
	defaultReadings = 500
	maxReadings     = 10_000
)

// Report says how well the documents of the library, of a source or one
// document were read.
func (s *Service) Report(ctx context.Context, r api.ReportRequest) (api.Report, error) {
	out, err := s.report(ctx, r)
	return out, s.fault(ctx, "report on the documents", err)
}

func (s *Service) report(ctx context.Context, r api.ReportRequest) (api.Report, error) {
	if r.Limit < 0 || r.Limit > maxReadings {
		return api.Report{}, invalid("limit is %d; use 1 to %d, or 0 for %d", r.Limit, maxReadings, defaultReadings)
	}
	if r.Path != "" {
		return s.reportOne(ctx, r)
	}
	t := newTally(cmp.Or(r.Limit, defaultReadings), r.All)
	err := s.Store.View(ctx, func(v store.Reader) error {
		sources, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		only := corpus.NoID
		if r.Source != "" {
			source, err := findSource(sources, r.Source)
			if err != nil {
				return err
			}
			only = source.ID
		}
		for _, src := range sources {
			t.names[src.ID] = src.Name
		}
		for d, err := range v.Documents(ctx, only) {
			if err != nil {
				return err
			}
			t.add(d)
		}
		return nil
	})
	return t.report(), err
}

// reportOne also looks at the passages.
func (s *Service) reportOne(ctx context.Context, r api.ReportRequest) (api.Report, error) {
	at, err := s.locate(ctx, fileRef{source: r.Source, path: r.Path})
	if err != nil {
		return api.Report{}, err
	}
	if at.document.ID.IsZero() {
		return api.Report{}, &api.Error{
			Code: api.CodeNotFound, Message: at.path + " is not in the library",
			Hint: "See how it would be read: ibid chunks " + r.Path,
		}
	}
	t := newTally(1, true)
	t.names[at.source.ID] = at.source.Name
	t.add(at.document)
	out := t.report()
	out.Readings[0].Reading.RowsKept = rowsOf(at.chunks)
	return out, nil
}

// tally gathers readings, at most so many that the worst can be chosen.
type tally struct {
	out       api.Report
	names     map[corpus.ID]string
	encodings map[string]int
	limit     int
	all       bool
}

func newTally(limit int, all bool) *tally {
	return &tally{names: map[corpus.ID]string{}, encodings: map[string]int{}, limit: limit, all: all}
}

// States of a reading, the worst first.
var readingStates = []string{"unreadable", "partial", "remarks", "clean"}

func (t *tally) add(d corpus.Document) {
	t.out.Documents++
	r := d.Report
	state := "clean"
	switch {
	case d.State == corpus.DocumentFailed:
		state = "unreadable"
		t.out.Unreadable++
		r = corpus.Report{} // of an earlier revision
	case len(r.Missing()) > 0:
		state = "partial"
		t.out.Partial++
	case r.HasRemarks():
		state = "remarks"
		t.out.Remarked++
	}
	t.out.Pages += r.Pages
	t.out.NoTextPages += len(r.NoTextPages)
	t.out.Rows += r.Rows
	t.out.Hidden += r.Hidden
	if r.Encoding != "" {
		t.encodings[r.Encoding]++
	}
	if state == "clean" && !t.all {
		return
	}
	t.out.Listed++
	t.out.Readings = append(t.out.Readings, api.DocumentReading{
		Document: d.ID.String(), Source: d.Source.String(), SourceName: t.names[d.Source], Path: d.Path, Type: d.Type,
		State: state, Error: d.Error, Chunks: d.Chunks, Reading: reading(r),
	})
	if len(t.out.Readings) >= 2*t.limit+1000 {
		t.cut()
	}
}

// cut keeps the worst readings.
func (t *tally) cut() {
	slices.SortStableFunc(t.out.Readings, func(a, b api.DocumentReading) int {
		return cmp.Or(
			cmp.Compare(slices.Index(readingStates, a.State), slices.Index(readingStates, b.State)),
			cmp.Compare(a.SourceName, b.SourceName), cmp.Compare(a.Path, b.Path))
	})
	t.out.Readings = t.out.Readings[:min(len(t.out.Readings), t.limit)]
}

func (t *tally) report() api.Report {
	t.cut()
	t.out.Readings = append([]api.DocumentReading{}, t.out.Readings...)
	t.out.Encodings = []api.EncodingCount{}
	for name, n := range t.encodings {
		t.out.Encodings = append(t.out.Encodings, api.EncodingCount{Encoding: name, Documents: n})
	}
	slices.SortFunc(t.out.Encodings, func(a, b api.EncodingCount) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Encoding, b.Encoding))
	})
	return t.out
}

func reading(r corpus.Report) api.Reading {
	return api.Reading{
		Encoding: r.Encoding, Pages: r.Pages, NoTextPages: r.NoTextPages, Garble: r.Garble,
		Rows: r.Rows, Hidden: r.Hidden, Notes: r.Notes, Missing: r.Missing(),
	}
}

// rowsOf counts the rows of sheets that stand in passages.
func rowsOf(chunks []corpus.Chunk) int {
	last := map[string]int{} // row of each sheet that was counted
	rows := 0
	for _, c := range chunks {
		l := c.Location
		if l.RowStart == 0 {
			continue
		}
		first := max(l.RowStart, last[l.Sheet]+1)
		if l.RowEnd >= first {
			rows += l.RowEnd - first + 1
			last[l.Sheet] = l.RowEnd
		}
	}
	return rows
}
