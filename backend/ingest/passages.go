package ingest

import (
	"context"
	"fmt"

	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/store"
)

// Passages is a file divided as it would be now.
type Passages struct {
	Type   string
	Title  string
	How    chunk.Decision // with the model's limit
	Report corpus.Report
	Text   string
	Chunks []corpus.Chunk
	Ends   []chunk.Ending // of the chunks
	// Have tells of which passages a vector is at hand, by hash.
	Have map[corpus.Hash]bool
}

// Passages reads and divides a file of a source, which the library need not
// know, and stores nothing. known is the ledger's record, nil if there is none;
// rules nil stands for those that hold for the file. Errors say why it cannot be
// read or divided.
func (in *Ingester) Passages(ctx context.Context, src corpus.Source, p string, known *corpus.Document, rules *chunk.Rules) (*Passages, error) {
	ext, name, mediaType, err := in.readNow(ctx, src, p, known)
	if err != nil {
		return nil, err
	}
	choice, err := in.choice(src.ID, name, mediaType)
	if rules != nil {
		choice, err = chunk.For(mediaType, *rules)
	}
	if err != nil {
		return nil, err
	}
	out := &Passages{Type: mediaType, Title: titleOf(ext.Title, p), Report: ext.Report, Text: ext.Text, How: choice.Decide(ext)}
	out.How.Options = in.sized(out.How.Options)
	if out.Chunks, out.Ends, err = out.How.Strategy.Explain(ext, out.How.Options); err != nil {
		return nil, fmt.Errorf("divide text: %w", err)
	}
	corpus.Identify(corpus.NoID, out.Chunks)
	if in.Embedder == nil {
		return out, nil
	}
	hashes := make([]corpus.Hash, len(out.Chunks))
	for i := range out.Chunks {
		hashes[i] = out.Chunks[i].Hash
	}
	return out, in.Store.View(ctx, func(v store.Reader) (err error) {
		out.Have, err = v.HaveVectors(ctx, in.space, hashes)
		return err
	})
}

// readNow reads a document as it is now, of a source without files as it is
// stored. It returns the name and the type by which rules are chosen, too.
func (in *Ingester) readNow(ctx context.Context, src corpus.Source, p string, known *corpus.Document) (ext *corpus.Extraction, name, mediaType string, err error) {
	if src.Kind == corpus.SourceInline {
		if known == nil {
			return nil, "", "", fmt.Errorf("%w: %q is no document of this source", corpus.ErrNotFound, p)
		}
		ext, _, err := in.divideStored(ctx, known)
		if err != nil {
			return nil, "", "", err
		}
		ext.Report = known.Report // on the text as it came
		return ext, inlineName(known.Type), known.Type, nil
	}
	data, _, err := in.Files.Read(ctx, src, p)
	if err != nil {
		return nil, "", "", err
	}
	file := corpus.FileName(p)
	mediaType = extract.Sniff(file, data)
	ext, err = in.extract(ctx, file, mediaType, data)
	return ext, p, mediaType, err
}
