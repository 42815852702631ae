// Package pdf reads PDF documents: pdfium, compiled to WebAssembly, tells where
// each character stands on its page; pure functions make lines, columns,
// paragraphs, tables and headings of them, with the place of every line.
//
// pdfium sees no files and has a bounded memory of its own for each document,
// so what a document does to it ends with the document. It is to run in a
// process that may be killed all the same: nothing else bounds its time.
package pdf

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Options say how PDF documents are read.
type Options struct {
	// Cache is the folder that keeps pdfium's machine code, which takes seconds
	// to make; "": it is made anew in every process. Whoever may write there
	// decides what runs here.
	Cache string
}

// Routes are the extractors of this package.
func Routes(o Options) []extract.Route {
	return []extract.Route{{Types: []string{extract.TypePDF}, Version: "pdf/1", Extractor: &reader{engine: engine{cache: o.Cache}}}}
}

// reader extracts PDF (ISO 32000).
type reader struct{ engine engine }

var (
	_ extract.Extractor = (*reader)(nil)
	_ extract.Preparer  = (*reader)(nil)
)

// Prepare implements extract.Preparer.
func (r *reader) Prepare(context.Context) error { return r.engine.start() }

// ErrPassword: the document is encrypted, and not with the empty password.
var ErrPassword = fmt.Errorf("password needed: encrypted documents are %w", corpus.ErrUnsupported)

func (r *reader) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	d, err := r.engine.open(in.Data)
	if err != nil {
		return nil, err
	}
	defer d.close()
	pages, err := d.pages(ctx)
	if err != nil {
		return nil, err
	}
	rescue(ctx, in.Data, pages)
	b := extract.NewBuilder(in.Type)
	d.properties(b)
	write(b, pages, d.outline(ctx), d.declared)
	return b.Done()
}
