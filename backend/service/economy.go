package service

import (
	"context"
	"maps"

	"ibid/backend/config"
	"ibid/backend/embed"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// speeds are what runs measured on this machine. Each run's record carries all
// that is known, so that the newest ones tell it, whatever they did.
type speeds struct {
	// Documents read and committed a second; 0: not measured.
	Documents float64 `json:"documents,omitempty"`
	// Tokens embedded a second, by the key of the embedding space.
	Tokens map[string]float64 `json:"tokens,omitempty"`
}

// A run tells the speed if it did at least this much.
const (
	enoughTexts    = 5
	enoughPassages = 5
)

// measuredRuns is how many records are read for the speeds: more than one, as
// two runs may have gone on at the same time.
const measuredRuns = 10

// guessedDocuments is how many documents a second are read and committed, as a
// first guess: pages of text on an ordinary computer.
const guessedDocuments = 100

// with returns the speeds after a run that embedded into a space; "" if into none.
func (s speeds) with(space string, r ingest.Result) speeds {
	out := speeds{Documents: s.Documents, Tokens: maps.Clone(s.Tokens)}
	if r.Texts >= enoughTexts && r.TextSeconds > 0 {
		out.Documents = float64(r.Texts) / r.TextSeconds
	}
	if space != "" && r.Embedded >= enoughPassages && r.EmbedSeconds > 0 {
		if out.Tokens == nil {
			out.Tokens = map[string]float64{}
		}
		out.Tokens[space] = float64(r.Tokens) / r.EmbedSeconds
	}
	return out
}

// or fills in what is not measured.
func (s speeds) or(older speeds) speeds {
	out := speeds{Documents: s.Documents, Tokens: maps.Clone(older.Tokens)}
	if out.Documents == 0 {
		out.Documents = older.Documents
	}
	if out.Tokens == nil {
		out.Tokens = map[string]float64{}
	}
	maps.Copy(out.Tokens, s.Tokens)
	return out
}

// speeds returns what runs measured so far.
func (s *Service) speeds(ctx context.Context) (speeds, error) {
	var list []store.Run
	err := s.Store.View(ctx, func(v store.Reader) (err error) {
		list, err = v.Runs(ctx, measuredRuns)
		return err
	})
	var out speeds
	for _, r := range list {
		out = out.or(readSummary(r).Speeds)
	}
	return out, err
}

// measure is what a run adds its own speed to.
type measure struct {
	known speeds
	space string // key of what it embeds into; "" for nothing
}

// measure begins to measure a run. Without what is known the run goes on: its
// record then tells of itself alone.
func (s *Service) measure(ctx context.Context, in *ingest.Ingester) measure {
	var m measure
	var err error
	if m.known, err = s.speeds(ctx); err != nil {
		s.Log.WarnContext(ctx, "earlier speeds are not known", "error", err)
	}
	if in.Embedder != nil {
		m.space = in.Embedder.Space().String()
	}
	return m
}

// after is what is known after a run with this result.
func (m measure) after(r ingest.Result) speeds { return m.known.with(m.space, r) }

// economy prices a model and tells its speed: as measured, else as guessed. The
// embedder is nil for none.
func (s *Service) economy(ctx context.Context, set config.Settings, m config.Model, embedder embed.Embedder) (plan.Economy, error) {
	price := set.PriceOf(m)
	e := plan.Economy{Price: plan.Price{
		PerMillion: price.PerMillion, Currency: price.Currency, Free: price.Free, Known: price != (config.Price{}),
	}}
	measured, err := s.speeds(ctx)
	e.DocumentsPerSecond = measured.Documents
	if embedder != nil {
		e.TokensPerSecond = measured.Tokens[embedder.Space().String()]
	}
	if e.DocumentsPerSecond == 0 {
		e.DocumentsPerSecond, e.Guessed = guessedDocuments, true
	}
	if embedder != nil && e.TokensPerSecond == 0 && m.Speed > 0 {
		e.TokensPerSecond, e.Guessed = m.Speed, true
	}
	return e, err
}
