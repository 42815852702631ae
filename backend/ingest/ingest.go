package ingest

import (
	"context"
	"log/slog"

	"ibid/backend/analyze"
	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/extract"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Extractor turns bytes into text and blocks; [extract.Registry] does.
type Extractor interface {
	Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error)
	// Version names what reads documents of this name and type.
	Version(name, mediaType string) string
}

// Parts are what an Ingester works with.
type Parts struct {
	Store   store.Store
	Tenant  corpus.ID // that the store was opened for; zero: corpus.LocalTenant
	Files   Files
	Extract Extractor
	// Embedder makes the vectors; nil: keywords only.
	Embedder embed.Embedder
	// Rules says how a document is to be divided; nil: by its type.
	Rules func(source corpus.ID, path, mediaType string) chunk.Rules
	// Economy is what plans are priced with.
	Economy plan.Economy
	Log     *slog.Logger // nil: silent
}

// Ingester plans and applies. It keeps nothing between calls, so that another
// one may be made when settings change; its methods may be called from several
// goroutines at once. Apply and EmbedPending take the library's writer role.
type Ingester struct {
	Parts
	space    corpus.Space
	analyzer *analyze.Analyzer
}

// New returns an Ingester.
func New(p Parts) *Ingester {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Tenant.IsZero() {
		p.Tenant = corpus.LocalTenant
	}
	if p.Rules == nil {
		p.Rules = func(corpus.ID, string, string) chunk.Rules { return chunk.Rules{} }
	}
	in := &Ingester{Parts: p, analyzer: analyze.New()}
	if p.Embedder != nil {
		in.space = p.Embedder.Space()
	}
	return in
}

// choice returns how a document is to be divided, as far as its place and type
// tell.
func (in *Ingester) choice(source corpus.ID, name, mediaType string) (chunk.Choice, error) {
	return chunk.For(mediaType, in.Rules(source, name, mediaType))
}

// sized adds the model's limit and tokenizer to options.
func (in *Ingester) sized(opt chunk.Options) chunk.Options {
	opt.Count = countBytes
	if in.Embedder != nil {
		opt.Limit, opt.Count = in.Embedder.Limit(), in.Embedder.Count
	}
	return opt
}

// recipe names all that decides about a document's passages: what reads it,
// how it is divided, and whose tokens are counted.
func (in *Ingester) recipe(source corpus.ID, name, mediaType string) string {
	rules := "invalid"
	if c, err := in.choice(source, name, mediaType); err == nil {
		rules = c.Recipe(in.sized(chunk.Options{}).Limit)
	}
	return in.Extract.Version(corpus.FileName(name), mediaType) + plan.RecipeSeparator + rules + " " + in.tokenizer()
}

func (in *Ingester) tokenizer() string {
	if in.Embedder == nil {
		return "bytes"
	}
	return in.space.Provider + "/" + in.space.Model
}

// countBytes estimates tokens where no model counts them: one for each begun
// four bytes, as in English prose.
func countBytes(text string) int { return (len(text) + 3) / 4 }
