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
	Type    string
	Title   string
	Content corpus.Hash
	How     chunk.Decision // with the model's limit
	Report  corpus.Report
	Text    string
	Chunks  []corpus.Chunk
	Ends    []chunk.Ending // of the chunks
	// Have tells of which passages a vector is at hand, by hash.
	Have map[corpus.Hash]bool
}

// Passages reads and divides a file of a source, which the library need not
// know, and stores nothing. document is its id there, or corpus.NoID; rules nil
// stands for those that hold for it. Errors say why it cannot be read or
// divided.
func (in *Ingester) Passages(ctx context.Context, src corpus.Source, p string, document corpus.ID, rules *chunk.Rules) (*Passages, error) {
	data, _, err := in.Files.Read(ctx, src, p)
	if err != nil {
		return nil, err
	}
	out := &Passages{Type: extract.Sniff(corpus.FileName(p), data), Content: corpus.HashBytes(data)}
	choice, err := in.choice(src.ID, p, out.Type)
	if rules != nil {
		choice, err = chunk.For(out.Type, *rules)
	}
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	ext, err := in.Extract.Extract(limited, extract.Input{Name: corpus.FileName(p), Type: out.Type, Data: data})
	if err != nil {
		return nil, err
	}
	out.Title, out.Report, out.Text = titleOf(ext.Title, p), ext.Report, ext.Text
	out.How = choice.Decide(ext)
	out.How.Options = in.sized(out.How.Options)
	out.Chunks, out.Ends, err = out.How.Strategy.Explain(ext, out.How.Options)
	if err != nil {
		return nil, fmt.Errorf("divide text: %w", err)
	}
	corpus.Identify(document, out.Chunks)
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
