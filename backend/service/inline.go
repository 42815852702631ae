package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
)

// inlineName is the inline source of a request that names none.
const inlineName = "inline"

// Ingest takes documents in that are in no file.
func (s *Service) Ingest(ctx context.Context, r api.IngestRequest) (api.IngestResponse, error) {
	var out api.IngestResponse
	e := s.event(ctx, auditIngest, corpus.NoID)
	e.Run = r.RunID
	err := s.within(ctx, r.RunID, kindIngest, func(ctx context.Context, run *run) (err error) {
		out, err = s.ingest(ctx, r, run, e)
		return err
	})
	if err != nil {
		return api.IngestResponse{}, s.audited(ctx, auditIngest, s.fault(ctx, "take in the documents", err))
	}
	return out, nil
}

func (s *Service) ingest(ctx context.Context, r api.IngestRequest, run *run, e store.Event) (api.IngestResponse, error) {
	docs := make([]ingest.Inline, len(r.Documents))
	for i, d := range r.Documents {
		docs[i] = ingest.Inline{ID: d.ID, Title: d.Title, URI: d.URI, Type: d.Type, Text: d.Text, Metadata: d.Metadata}
	}
	if err := ingest.CheckInline(docs); err != nil { // before anything is read
		return api.IngestResponse{}, err
	}
	source, fresh, err := s.inlineSource(ctx, r.Source)
	if err != nil {
		return api.IngestResponse{}, err
	}
	in, err := s.inlineIngester(ctx)
	if err != nil {
		return api.IngestResponse{}, err
	}
	release, err := s.turns.take(ctx)
	if err != nil {
		return api.IngestResponse{}, err
	}
	defer release()
	in.Store = patientStore{s.Store, s}
	opt := ingest.ApplyOptions{Holder: s.Holder + " (ingest)"}
	if run != nil {
		opt.Control = &run.control
		opt.Observe.Progress = func(p ingest.Progress) { run.progress(wireProgress(p)) }
	}
	e.At, e.Source = now(), source.ID
	done, err := in.Ingest(ctx, ingest.Batch{Source: source, NewSource: fresh, Documents: docs, Event: e}, opt)
	if err != nil {
		return api.IngestResponse{}, err
	}
	if fresh {
		s.hint()
	}
	out := wireIngested(r, done)
	out.Source, err = s.sourceNow(ctx, source)
	return out, err
}

// inlineSource returns the inline source of a name, fresh if there is none yet.
func (s *Service) inlineSource(ctx context.Context, name string) (source corpus.Source, fresh bool, err error) {
	if name, err = checkName(cmp.Or(name, inlineName)); err != nil {
		return source, false, err
	}
	all, err := s.allSources(ctx)
	if err != nil {
		return source, false, err
	}
	for _, o := range all {
		if o.Name == name || o.ID.String() == name {
			return o, false, isInline(o)
		}
	}
	root := "inline:" + name
	for n := 2; slices.ContainsFunc(all, func(o corpus.Source) bool { return o.Root == root }); n++ { // a renamed source keeps its own
		root = fmt.Sprintf("inline:%s %d", name, n)
	}
	return corpus.Source{
		// Whoever makes it at the same time makes the same one.
		ID:   corpus.DeriveID(corpus.LocalTenant, "inline source", root),
		Kind: corpus.SourceInline, Name: name, Root: root, Policy: corpus.PolicyAsk, CreatedAt: now(),
	}, true, nil
}

func isInline(s corpus.Source) error {
	if s.Kind != corpus.SourceInline {
		return invalid("the source %q is a %s, whose documents are its files; choose another name", s.Name, s.Kind)
	}
	return nil
}

// inlineIngester returns what works with the model that the library has, or in
// an empty one with the model of the settings.
func (s *Service) inlineIngester(ctx context.Context) (*ingest.Ingester, error) {
	info, err := s.info(ctx)
	if err != nil {
		return nil, err
	}
	if live, ok := info.Live(); ok {
		return s.liveIngester(ctx, live.Space)
	}
	return s.ingester(ctx, s.Config.Settings())
}

// sourceNow returns a source with its state.
func (s *Service) sourceNow(ctx context.Context, source corpus.Source) (api.Source, error) {
	list, err := s.sources(ctx)
	if err != nil {
		return api.Source{}, err
	}
	for _, out := range list.Sources {
		if out.ID == source.ID.String() {
			return out, nil
		}
	}
	return api.Source{}, fmt.Errorf("%w: source %q was removed meanwhile", corpus.ErrNotFound, source.Name)
}

func wireIngested(r api.IngestRequest, done ingest.Ingested) api.IngestResponse {
	out := api.IngestResponse{
		Documents: []api.IngestOutcome{}, Embedded: done.Embedded, Reused: done.Reused, Notes: append([]string{}, done.Notes...),
	}
	for i, fate := range done.Fates {
		out.Documents = append(out.Documents, api.IngestOutcome{ID: r.Documents[i].ID, Document: done.Documents[i].String(), Outcome: fate})
		switch fate {
		case ingest.InlineAdded:
			out.Added++
		case ingest.InlineUpdated:
			out.Updated++
		case ingest.InlineLabelled:
			out.Labelled++
		default:
			out.Unchanged++
		}
	}
	return out
}

// DeleteDocuments removes inline documents.
func (s *Service) DeleteDocuments(ctx context.Context, r api.DeleteDocumentsRequest) (api.DeleteDocumentsResponse, error) {
	out, err := s.deleteDocuments(ctx, r)
	if err != nil {
		return api.DeleteDocumentsResponse{}, s.audited(ctx, auditDelete, s.fault(ctx, "delete the documents", err))
	}
	return out, nil
}

func (s *Service) deleteDocuments(ctx context.Context, r api.DeleteDocumentsRequest) (out api.DeleteDocumentsResponse, err error) {
	out.Unknown = []string{}
	if err := checkIDs(r.IDs); err != nil {
		return out, err
	}
	all, err := s.allSources(ctx)
	if err != nil {
		return out, err
	}
	source, err := findSource(all, cmp.Or(r.Source, inlineName))
	if err != nil {
		return out, err
	}
	if source.Kind != corpus.SourceInline {
		return out, invalid("the source %q is a %s: a document of it goes with its file, or is left out by an exclude pattern", source.Name, source.Kind)
	}
	err = s.asWriter(ctx, "delete", func(w store.Writer) error { return s.deleteInline(ctx, w, source, r.IDs, &out) })
	return out, err
}

// deleteInline removes the documents of a source that callers call so.
func (s *Service) deleteInline(ctx context.Context, w store.Writer, source corpus.Source, ids []string, out *api.DeleteDocumentsResponse) error {
	batch := store.Batch{Events: []store.Event{s.event(ctx, auditDelete, source.ID)}}
	e := &batch.Events[0]
	err := s.Store.View(ctx, func(v store.Reader) error { // with the role: nobody else changes it
		for _, id := range ids {
			document := ingest.InlineID(corpus.LocalTenant, source.ID, id)
			doc, err := v.Document(ctx, document)
			if errors.Is(err, corpus.ErrNotFound) {
				out.Unknown = append(out.Unknown, id)
				continue
			}
			if err != nil {
				return err
			}
			batch.Removed = append(batch.Removed, store.Ref{Document: document, Revision: doc.Revision})
			if len(e.Documents) < store.MaxEventDocuments {
				e.Documents = append(e.Documents, document)
			}
		}
		return nil
	})
	if err != nil || len(batch.Removed) == 0 {
		return err
	}
	e.Counts = map[string]int{"documents": len(batch.Removed)}
	out.Deleted = len(batch.Removed)
	_, err = w.Ingest(ctx, batch)
	return err
}

// checkIDs checks what callers call documents to be deleted.
func checkIDs(ids []string) error {
	switch {
	case len(ids) == 0:
		return invalid("no ids")
	case len(ids) > corpus.MaxIngestDocuments:
		return fmt.Errorf("%w: %d ids in one request, at most %d", corpus.ErrLimit, len(ids), corpus.MaxIngestDocuments)
	}
	seen := map[string]bool{}
	for i, id := range ids {
		if err := ingest.CheckInlineID(id); err != nil {
			return fmt.Errorf("document %d: %w", i+1, err)
		}
		if seen[id] {
			return invalid("the id %q stands twice", id)
		}
		seen[id] = true
	}
	return nil
}

// uriOf is where an inline document is from. Files may have a label of that
// name; what it says was not checked.
func uriOf(source corpus.Source, d corpus.Document) string {
	uri, _ := d.Metadata[corpus.MetadataURI].(string)
	if source.Kind != corpus.SourceInline {
		return ""
	}
	return uri
}
