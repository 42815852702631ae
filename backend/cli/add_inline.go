package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"ibid/backend/api"
)

// inlineOptions say what a text on standard input is.
type inlineOptions struct {
	id, title, uri, mediaType string
	labels                    []string
}

// given reports whether anything is said.
func (o *inlineOptions) given() bool {
	return o.id != "" || o.title != "" || o.uri != "" || o.mediaType != "" || len(o.labels) > 0
}

const inlineHelp = `
With "-" documents are read from standard input and taken in at once, all of
them or none: JSON, an array or one object after another, each with id, title,
uri, text, type (text/plain or text/markdown) and metadata; or with --id a text
as it is. They are in no file: their source is named by --name (default
"inline"). A document of the same id is replaced; no other one is touched.`

func runAddInline(ctx context.Context, g *globals, opt addOptions) error {
	if len(opt.include)+len(opt.exclude) > 0 || opt.policy != "ask" {
		return usageError(errors.New("--include, --exclude and --policy go with folders, not with standard input"))
	}
	data, err := io.ReadAll(io.LimitReader(g.streams.In, api.MaxIngestBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("read standard input: %w", err)
	case len(data) > api.MaxIngestBytes:
		return &api.Error{
			Code: api.CodeLimit, Message: fmt.Sprintf("standard input has more than %d MiB", api.MaxIngestBytes>>20), Hint: "Divide it into several requests",
		}
	}
	docs, err := opt.inline.documents(data)
	if err != nil {
		return err
	}
	return call(ctx, g, api.Service.Ingest, api.IngestRequest{Source: opt.name, Documents: docs}, g.printIngested)
}

// documents reads what came on standard input.
func (o *inlineOptions) documents(data []byte) ([]api.IngestDocument, error) {
	if o.id != "" {
		labels, err := parseLabels(o.labels)
		if err != nil {
			return nil, err
		}
		return []api.IngestDocument{{ID: o.id, Title: o.title, URI: o.uri, Type: o.mediaType, Text: string(data), Metadata: labels}}, nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(start) == 0:
		return nil, &api.Error{Code: api.CodeInvalid, Message: "standard input is empty"}
	case start[0] != '{' && start[0] != '[':
		return nil, &api.Error{
			Code: api.CodeInvalid, Message: "standard input is not JSON", Hint: "To take in a text as it is, give it an id: ibid add - --id NAME",
		}
	case o.given():
		return nil, usageError(errors.New("--title, --uri, --type and --label go with --id; documents in JSON bring their own"))
	}
	docs, err := api.ReadDocuments(data)
	if err != nil {
		return nil, &api.Error{Code: api.CodeInvalid, Message: "standard input: " + err.Error(), Hint: "Nothing was taken in"}
	}
	return docs, nil
}

// parseLabels reads KEY=VALUE; the same key again makes a list.
func parseLabels(list []string) (map[string]any, error) {
	fields, err := parsePairs("--label", list)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	labels := map[string]any{}
	for key, values := range fields {
		if len(values) == 1 {
			labels[key] = values[0]
		} else {
			labels[key] = values
		}
	}
	return labels, nil
}

func (g *globals) printIngested(r api.IngestResponse) {
	g.say("took in %s into %s: %s added, %s updated, %s labelled, %s unchanged",
		plural(len(r.Documents), "document"), plain(r.Source.Name), number(r.Added), number(r.Updated), number(r.Labelled), number(r.Unchanged))
	if r.Embedded > 0 {
		g.say("embedded %s", plural(r.Embedded, "passage"))
	}
	for _, n := range r.Notes {
		g.say("%s", plain(n))
	}
}

func runDelete(ctx context.Context, g *globals, source string, ids []string) error {
	req := api.DeleteDocumentsRequest{Source: source, IDs: ids}
	return call(ctx, g, api.Service.DeleteDocuments, req, func(gone api.DeleteDocumentsResponse) {
		g.say("removed %s from %s", plural(gone.Deleted, "document"), plain(source))
		for _, id := range gone.Unknown {
			g.say("there was no document %s", plain(id))
		}
	})
}
