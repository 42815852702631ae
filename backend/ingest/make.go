package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Limits of the work on one document.
const (
	// documentTime is how long reading and dividing one may take.
	documentTime = 2 * time.Minute
	// A busy file is tried again after each of these pauses.
	busyTries = 4
	busyPause = 100 * time.Millisecond // doubled each time
	// maxTerms bounds the memory of a document, which is indexed as a whole: an
	// ordinary text of so many terms takes 600 MB.
	maxTerms = 6 << 20
)

// made is a document ready to be committed.
type made struct {
	action  plan.Action
	change  store.Change    // without generation
	attempt corpus.Document // the record to write if it cannot be committed
	share   *share          // of the budget of memory
}

// staleError: the action cannot be done now, mostly since the library or the
// file moved on since the plan; skip it and say so. Nothing is recorded, so that
// the next plan has it again.
type staleError struct{ reason string }

func (e *staleError) Error() string { return e.reason }

func (e *staleError) Unwrap() error { return corpus.ErrStale }

// contentError: these bytes cannot become passages. It is a fact about the
// document that the ledger keeps, so that they are not tried again.
type contentError struct {
	attempt corpus.Document // the record to write
	err     error
}

func (e *contentError) Error() string { return e.err.Error() }

func (e *contentError) Unwrap() error { return e.err }

// load reads the document's bytes, checks that they are the planned ones, and
// waits until there is room to read them.
func (in *Ingester) load(ctx context.Context, src corpus.Source, a *plan.Action, s *share) ([]byte, corpus.Fingerprint, error) {
	pause := busyPause
	for try := 1; ; try++ {
		data, fp, err := in.Files.Read(ctx, src, a.Path)
		switch {
		case err == nil && corpus.HashBytes(data) != a.Content:
			return nil, fp, &staleError{"file changed since it was planned"}
		case err == nil:
			return data, fp, s.weigh(ctx, data)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fp, &staleError{"file is gone since it was planned"}
		case !errors.Is(err, corpus.ErrBusy):
			return nil, fp, err
		case try == busyTries:
			return nil, fp, &staleError{"file is in use by another program"}
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return nil, fp, ctx.Err()
		}
	}
}

// divide extracts a document's bytes and divides the text. Errors other than
// ctx's are facts about the bytes.
func (in *Ingester) divide(ctx context.Context, source corpus.ID, name, mediaType string, id corpus.ID, data []byte) (*corpus.Extraction, []corpus.Chunk, error) {
	ext, err := in.extract(ctx, corpus.FileName(name), mediaType, data)
	if err != nil {
		return nil, nil, err
	}
	chunks, err := in.cut(source, name, mediaType, id, ext)
	return ext, chunks, err
}

// extract reads a document's bytes within documentTime.
func (in *Ingester) extract(ctx context.Context, name, mediaType string, data []byte) (*corpus.Extraction, error) {
	limited, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	ext, err := in.Extract.Extract(limited, extract.Input{Name: name, Type: mediaType, Data: data})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil, fmt.Errorf("%w: reading took longer than %v", corpus.ErrLimit, documentTime)
	}
	return ext, err
}

// cut divides an extracted text.
func (in *Ingester) cut(source corpus.ID, name, mediaType string, id corpus.ID, ext *corpus.Extraction) ([]corpus.Chunk, error) {
	c, err := in.choice(source, name, mediaType)
	if err != nil {
		return nil, err
	}
	how := c.Decide(ext)
	var chunker chunk.Chunker = how.Strategy
	chunks, err := chunker.Chunk(ext, in.sized(how.Options))
	if err != nil {
		return nil, fmt.Errorf("divide text: %w", err)
	}
	corpus.Identify(id, chunks)
	return chunks, nil
}

// make turns the file of an action into a change. prior is the ledger's
// record, nil for a new document; s what it takes of the memory, nil for
// whatever it needs. Errors: *staleError, *contentError, ctx's,
// and others when the file cannot be read now.
func (in *Ingester) make(ctx context.Context, src corpus.Source, a plan.Action, prior *corpus.Document, s *share) (*made, error) {
	if src.Kind == corpus.SourceInline {
		return in.makeStored(ctx, a, prior)
	}
	data, fp, err := in.load(ctx, src, &a, s)
	if err != nil {
		return nil, err
	}
	mediaType := extract.Sniff(corpus.FileName(a.Path), data)
	attempt := corpus.Document{Title: corpus.ShownName(a.Path), IndexedAt: time.Now().UTC()}
	if prior != nil {
		attempt = *prior
	}
	attempt.ID, attempt.Source, attempt.Path, attempt.Revision = a.Document, a.Source, a.Path, a.Revision
	attempt.Content, attempt.Fingerprint, attempt.Type = a.Content, fp, mediaType
	attempt.Recipe = in.recipe(a.Source, a.Path, mediaType)
	attempt.State = corpus.DocumentFailed
	ext, chunks, err := in.divide(ctx, a.Source, a.Path, mediaType, a.Document, data)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, corpus.ErrUnavailable): // nothing was found out about the bytes
			return nil, &staleError{"cannot be read now: " + err.Error()}
		}
		return nil, &contentError{attempt: attempt, err: err}
	}
	language := analyze.Language(ext.Text)
	entries, err := in.entries(chunks, language)
	if err != nil {
		return nil, &contentError{attempt: attempt, err: err}
	}
	doc := attempt
	doc.Title = titleOf(ext.Title, a.Path)
	doc.Language = language
	doc.Metadata, doc.Report = ext.Metadata, ext.Report
	doc.State, doc.Error = corpus.DocumentIndexed, ""
	doc.IndexedAt = time.Now().UTC()
	return &made{action: a, attempt: attempt, change: store.Change{
		From: a.Revision, Document: doc, Text: ext.Text, Entries: entries,
	}}, nil
}

// titleOf is the content's own title, or the document's name.
func titleOf(own, p string) string {
	if own != "" {
		return own
	}
	return corpus.ShownName(p)
}

// errTerms says of a document that it has more than maxTerms.
var errTerms = fmt.Errorf("%w: it has more than 6 Mi index terms, as some 15 MB of prose do; divide it into several files", corpus.ErrLimit)

// entries analyzes passages. Terms come from exactly what is embedded, so that
// a heading is found in every passage below it. A document of more than
// maxTerms is corpus.ErrLimit.
func (in *Ingester) entries(chunks []corpus.Chunk, language string) ([]store.Entry, error) {
	entries := make([]store.Entry, len(chunks))
	terms := 0
	for i := range chunks {
		entries[i] = in.entry(chunks[i], language)
		if terms += len(entries[i].Whole) + len(entries[i].Parts); terms > maxTerms {
			return nil, errTerms
		}
	}
	return entries, nil
}

// indexable returns the error of entries, and keeps nothing.
func (in *Ingester) indexable(ext *corpus.Extraction, chunks []corpus.Chunk) error {
	size := 0
	for i := range chunks {
		size += len(chunks[i].Input())
	}
	if size < maxTerms/2 { // no text has more than two terms a byte
		return nil
	}
	language, terms := analyze.Language(ext.Text), 0
	for i := range chunks {
		t := in.analyzer.Analyze(chunks[i].Input(), language)
		if terms += len(t.Whole) + len(t.Parts); terms > maxTerms {
			return errTerms
		}
	}
	return nil
}

func (in *Ingester) entry(c corpus.Chunk, language string) store.Entry {
	t := in.analyzer.Analyze(c.Input(), language)
	// Copied to size: what a list has in reserve adds up to a third of all.
	return store.Entry{Chunk: c, Whole: exact(t.Whole), Parts: exact(t.Parts), Terms: t.Encode(), Length: t.Length}
}

func exact(list []string) []string { return append(make([]string, 0, len(list)), list...) }
