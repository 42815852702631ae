package service

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Document returns a document's stored text, marked at a passage or a range.
func (s *Service) Document(ctx context.Context, r api.DocumentRequest) (api.Document, error) {
	d, err := s.document(ctx, r)
	return d, s.fault(ctx, "read the document", err)
}

func (s *Service) document(ctx context.Context, r api.DocumentRequest) (api.Document, error) {
	id, err := corpus.ParseID(r.Document)
	if err != nil {
		return api.Document{}, invalid("document %q is not an id", r.Document)
	}
	var record corpus.Document
	var chunks []corpus.Chunk
	var text string
	var revision int64
	sources := map[corpus.ID]corpus.Source{}
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		if record, err = v.Document(ctx, id); err != nil {
			return err
		}
		if text, revision, err = v.Text(ctx, 0, id); err != nil {
			return err
		}
		if chunks, err = v.Chunks(ctx, 0, id); err != nil {
			return err
		}
		sources, err = sourcesByID(ctx, v)
		return err
	})
	if err != nil {
		return api.Document{}, err
	}
	mark, place, err := markOf(r, text, chunks)
	if err != nil {
		return api.Document{}, err
	}
	source := sources[record.Source]
	stale, gone := s.changedSince(ctx, source, record)
	places := make([]api.Location, len(chunks))
	for i, c := range chunks {
		places[i] = location(c.Location)
	}
	return api.Document{
		ID: record.ID.String(), Source: record.Source.String(), SourceName: source.Name,
		Path: record.Path, Title: record.Title, URI: uriOf(source, record), Type: record.Type, Language: record.Language,
		Metadata: record.Metadata, Revision: revision, IndexedAt: timestamp(record.IndexedAt),
		Stale: stale, Gone: gone,
		Segments: segments(text, chunks, mark), Passages: places, Location: place, Reading: reading(record.Report),
	}, nil
}

// DocumentPath returns the absolute path of a document's file, which is there
// now, or the address of a web page: for shells that let the system's programs
// open it.
func (s *Service) DocumentPath(ctx context.Context, document string) (string, error) {
	path, err := s.documentPath(ctx, document)
	return path, s.fault(ctx, "find the document's file", err)
}

func (s *Service) documentPath(ctx context.Context, document string) (string, error) {
	record, source, err := s.located(ctx, document)
	if err != nil {
		return "", err
	}
	path, err := s.Files.Path(source, record.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", gone(record)
	}
	return path, err
}

// located finds a document and its source.
func (s *Service) located(ctx context.Context, document string) (record corpus.Document, source corpus.Source, err error) {
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		record, source, err = named(ctx, v, document)
		return err
	})
	return record, source, err
}

// named finds the document of an id, and its source, without which there is no
// saying where its file is.
func named(ctx context.Context, v store.Reader, document string) (record corpus.Document, source corpus.Source, err error) {
	id, err := corpus.ParseID(document)
	if err != nil {
		return record, source, invalid("document %q is not an id", document)
	}
	if record, err = v.Document(ctx, id); err != nil {
		return record, source, err
	}
	sources, err := sourcesByID(ctx, v)
	if err != nil {
		return record, source, err
	}
	source, ok := sources[record.Source]
	if !ok {
		return record, source, &api.Error{
			Code: api.CodeNotFound, Message: "the source of " + record.Path + " is not in the library any more",
			Hint: advices[store.SourceMissing].fix,
		}
	}
	return record, source, nil
}

// gone says that a document's file is no longer there.
func gone(d corpus.Document) error {
	return &api.Error{
		Code: api.CodeNotFound, Message: d.Path + " is no longer in its folder",
		Hint: "Plan to see what became of it",
	}
}

// span is a range of bytes of a text; an empty one marks nothing.
type span struct{ start, end int }

// markOf finds the range that a request asks to mark, and its place.
func markOf(r api.DocumentRequest, text string, chunks []corpus.Chunk) (span, *api.Location, error) {
	if r.Chunk != "" {
		id, err := corpus.ParseID(r.Chunk)
		if err != nil {
			return span{}, nil, invalid("passage %q is not an id", r.Chunk)
		}
		for _, c := range chunks {
			if c.ID == id {
				l := location(c.Location)
				return span{c.Location.Start, c.Location.End}, &l, nil
			}
		}
		return span{}, nil, &api.Error{
			Code: api.CodeStale, Message: "the passage is no longer in the document",
			Hint: "The document changed since the search; search again",
		}
	}
	m := span{r.Start, r.End}
	if m == (span{}) {
		return m, nil, nil
	}
	if m.start < 0 || m.end <= m.start || m.end > len(text) {
		return span{}, nil, invalid("range %d–%d is not in the document's %d bytes", r.Start, r.End, len(text))
	}
	for !utf8.RuneStart(text[m.start]) {
		m.start--
	}
	for m.end < len(text) && !utf8.RuneStart(text[m.end]) {
		m.end++
	}
	for _, c := range chunks {
		if c.Location.Start <= m.start && m.start < c.Location.End {
			l := c.Location
			if l.LineStart > 0 {
				l.LineStart += strings.Count(text[l.Start:m.start], "\n")
				l.LineEnd = l.LineStart + strings.Count(strings.TrimRight(text[m.start:m.end], "\n"), "\n")
			}
			l.Start, l.End = m.start, m.end
			place := location(l)
			return m, &place, nil
		}
	}
	return m, nil, nil
}

// segments divides a text at the borders of its passages and of the mark.
func segments(text string, chunks []corpus.Chunk, mark span) []api.DocumentSegment {
	list := []api.DocumentSegment{}
	cut := func(start, end, passage, line int) {
		if start < end {
			list = append(list, api.DocumentSegment{
				Text: text[start:end], Passage: passage, Line: line,
				Mark: mark.start <= start && end <= mark.end && mark.start < mark.end,
			})
		}
	}
	if len(chunks) == 0 {
		cut(0, len(text), 0, 0)
	}
	for i, c := range chunks {
		start, end := c.Location.Start, c.Location.End
		a, b := min(max(mark.start, start), end), min(max(mark.end, start), end)
		line := func(at int) int {
			if c.Location.LineStart == 0 {
				return 0
			}
			return c.Location.LineStart + strings.Count(text[start:at], "\n")
		}
		cut(start, a, i+1, line(start))
		cut(a, b, i+1, line(a))
		cut(b, end, i+1, line(b))
	}
	return list
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// changedSince reports whether a document's file is another than the one that
// was indexed, and whether that is because it is no longer there. A source that
// cannot be looked at tells nothing, and web pages are not asked for because
// somebody reads what is stored of them.
func (s *Service) changedSince(ctx context.Context, source corpus.Source, d corpus.Document) (changed, gone bool) {
	if source.Kind != corpus.SourceFolder && source.Kind != corpus.SourceFile {
		return false, false
	}
	scan, err := s.Files.Scan(ctx, source, []string{d.Path})
	if err != nil || scan.Unavailable != "" {
		return false, false
	}
	for _, e := range scan.Entries {
		if e.Path != d.Path {
			continue
		}
		if e.Problem != plan.NoProblem {
			return false, false
		}
		if d.Fingerprint.Proves(e.Fingerprint) {
			return false, false
		}
		data, _, err := s.Files.Read(ctx, source, d.Path)
		return err == nil && corpus.HashBytes(data) != d.Content, false
	}
	covered, _ := scan.Coverage.Covers(d.Path)
	return covered, covered // looked at, and not there
}
