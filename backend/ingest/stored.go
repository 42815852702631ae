package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Documents of inline sources have no files: what is planned is what is stored,
// and what is made anew is made of the stored text.

// scanStored is the look at an inline source: all of its documents are there,
// and as they were.
func scanStored(s corpus.Source, places []string, known []*plan.Known) plan.Scan {
	scan := plan.Scan{Source: s, Coverage: plan.Coverage{Places: places}}
	for _, k := range known {
		if ok, _ := scan.Coverage.Covers(k.Path); ok {
			scan.Entries = append(scan.Entries, plan.Entry{Path: k.Path, Fingerprint: k.Fingerprint})
		}
	}
	return scan
}

// recipes is recipe for documents of all sources, those without files included.
func (in *Ingester) recipes(sources []corpus.Source) func(source corpus.ID, path, mediaType string) string {
	inline := map[corpus.ID]bool{}
	for _, s := range sources {
		inline[s.ID] = s.Kind == corpus.SourceInline
	}
	return func(source corpus.ID, path, mediaType string) string {
		if inline[source] {
			path = inlineName(mediaType)
		}
		return in.recipe(source, path, mediaType)
	}
}

// inlineName stands for the name of the file that an inline document has not:
// its id must not choose how it is read.
func inlineName(mediaType string) string {
	if mediaType == extract.TypeMarkdown {
		return "inline.md"
	}
	return "inline.txt"
}

// extractInline reads a text that is in no file. Its lines count from its
// stored form, so that reading that again finds the same.
func (in *Ingester) extractInline(ctx context.Context, mediaType, text string) (*corpus.Extraction, error) {
	ext, err := in.extract(ctx, inlineName(mediaType), mediaType, []byte(text))
	if err != nil {
		return nil, err
	}
	if above := ext.FirstLine - 1; above > 0 { // front matter
		ext.FirstLine = 1
		for i := range ext.Blocks {
			ext.Blocks[i].Anchor.LineStart -= above
			ext.Blocks[i].Anchor.LineEnd -= above
		}
	}
	return ext, nil
}

// extractStored is extractInline for the text that another one returned. What
// looks like front matter in it is text: it was cut off already, or had none.
func (in *Ingester) extractStored(ctx context.Context, mediaType, text string) (*corpus.Extraction, error) {
	if mediaType == extract.TypeMarkdown && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "+++")) {
		text = "---\n---\n" + text
	}
	return in.extractInline(ctx, mediaType, text)
}

// divideStored makes the passages of an inline document anew. A title that is
// not its id stays, whether it was given or found.
func (in *Ingester) divideStored(ctx context.Context, doc *corpus.Document) (*corpus.Extraction, []corpus.Chunk, error) {
	var text string
	err := in.Store.View(ctx, func(v store.Reader) (err error) {
		text, _, err = v.Text(ctx, 0, doc.ID)
		return err
	})
	if errors.Is(err, corpus.ErrNotFound) {
		err = fmt.Errorf("%w: its stored text is missing; ingest the document again", corpus.ErrUnavailable)
	}
	if err != nil {
		return nil, nil, err
	}
	ext, err := in.extractStored(ctx, doc.Type, text)
	if err != nil {
		return nil, nil, &contentError{err: err}
	}
	if doc.Title != doc.Path {
		ext.Title = doc.Title
	}
	chunks, err := in.cut(doc.Source, inlineName(doc.Type), doc.Type, doc.ID, ext)
	if err != nil {
		return nil, nil, &contentError{err: err}
	}
	return ext, chunks, nil
}

// makeStored is make for a document of an inline source.
func (in *Ingester) makeStored(ctx context.Context, a plan.Action, prior *corpus.Document) (*made, error) {
	if prior == nil {
		return nil, fmt.Errorf("%w: %q is no document of this source", corpus.ErrInvalid, a.Path)
	}
	if prior.Content != a.Content {
		return nil, &staleError{"document changed since it was planned"}
	}
	attempt := *prior
	attempt.Revision = a.Revision
	attempt.Recipe = in.recipe(a.Source, inlineName(prior.Type), prior.Type)
	attempt.State = corpus.DocumentFailed
	ext, chunks, err := in.divideStored(ctx, prior)
	if err != nil {
		if content, ok := errors.AsType[*contentError](err); ok && ctx.Err() == nil {
			content.attempt = attempt
		}
		return nil, err
	}
	doc := attempt
	doc.Language = analyze.Language(ext.Text) // the report stays that of the text as it came
	entries, err := in.entries(chunks, doc.Language)
	if err != nil {
		return nil, &contentError{attempt: attempt, err: err}
	}
	doc.State, doc.Error = corpus.DocumentIndexed, ""
	doc.IndexedAt = time.Now().UTC()
	return &made{action: a, attempt: attempt, change: store.Change{
		From: a.Revision, Document: doc, Text: ext.Text, Entries: entries,
	}}, nil
}
