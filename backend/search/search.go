package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/store"
)

// What a store is asked for (see store.Lexical). Over 25,000 passages the ten
// best are those of exhaustive scoring from a budget of 5,000 and a pool of 500
// on; a pool of 200 has .986 of them.
const (
	budget = 20_000 // passages whose terms may be looked at
	pool   = 500    // passages that are scored, at least
	depth  = 100    // candidates of a leg, at least
)

// Options are what a Searcher is made of.
type Options struct {
	Store    store.Store
	Embedder embed.Embedder // nil: no vector leg
	// Languages that the embedder knows (ISO 639-1); nil: all.
	Languages []string
	Scale     Scale // of the embedder; zero: ScaleOf its space
	Settings  Settings
	Log       *slog.Logger // nil: no log
}

// Searcher answers searches. It may be used by several goroutines at once. It
// does not change: other settings are another Searcher.
type Searcher struct {
	opt      Options
	analyzer *analyze.Analyzer
	plainer  *plainer
}

// New returns a searcher. Settings that are no settings are an error that wraps
// corpus.ErrInvalid.
func New(o Options) (*Searcher, error) {
	if err := o.Settings.validate(); err != nil {
		return nil, fmt.Errorf("open search: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Scale == (Scale{}) && o.Embedder != nil {
		o.Scale = ScaleOf(o.Embedder.Space())
	}
	return &Searcher{opt: o, analyzer: analyze.New(), plainer: newPlainer()}, nil
}

// Search answers one request. Errors wrap corpus.ErrInvalid or
// corpus.ErrLimit for a request that breaks a rule, and
// corpus.ErrUnsupported for a vector search without a usable model.
func (s *Searcher) Search(ctx context.Context, r Request) (*Result, error) {
	settings, err := r.settle(s.opt.Settings)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	for attempt := 0; ; attempt++ {
		result, err := s.search(ctx, r, settings)
		if errors.Is(err, errSwitched) && attempt == 0 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		return result, nil
	}
}

// errSwitched: another generation went live between the two snapshots of a
// search, of which the first says what to look for: the model's vector is made
// between them, so that no snapshot waits for a model.
var errSwitched = fmt.Errorf("%w: the library was switched to another model", corpus.ErrBusy)

// library is what a search knows of the library before it begins.
type library struct {
	sources    []corpus.Source
	generation store.Generation
	chunks     int
	embedded   int
	languages  []string // most frequent first
}

// maxLanguages bounds the languages that a query is stemmed by.
const maxLanguages = 8

func (s *Searcher) library(ctx context.Context) (l library, err error) {
	err = s.opt.Store.View(ctx, func(r store.Reader) error {
		info, err := r.Info(ctx)
		if err != nil {
			return err
		}
		l.sources, err = r.Sources(ctx)
		l.generation, _ = info.Live()
		l.chunks, l.embedded = info.Chunks, info.Embedded
		for lang := range info.Languages {
			if lang != "" {
				l.languages = append(l.languages, lang)
			}
		}
		slices.SortFunc(l.languages, func(a, b string) int {
			return cmp.Or(info.Languages[b]-info.Languages[a], strings.Compare(a, b))
		})
		l.languages = l.languages[:min(len(l.languages), maxLanguages)]
		return err
	})
	return l, err
}

func (s *Searcher) search(ctx context.Context, r Request, settings Settings) (*Result, error) {
	lib, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	if r.Literal {
		return s.run(ctx, r, settings, lib, Query{Text: strings.ToValidUTF8(r.Query, "\ufffd")})
	}
	reading := Reading{Sources: lib.sources, Zone: r.Zone}
	q := Parse(r.Query, reading)
	if len(q.Guessed) > 0 && q.Text == "" {
		reading.Plain = true
		q = Parse(r.Query, reading)
	}
	result, err := s.run(ctx, r, settings, lib, q)
	if err != nil || len(result.Hits) > 0 {
		return result, err
	}
	if q.Sourced {
		sourced := reading
		sourced.Sourced = true
		if found, err := s.run(ctx, r, settings, lib, Parse(r.Query, sourced)); err != nil || len(found.Hits) > 0 {
			return found, err
		}
	}
	// Nothing has what was asked for to the letter: it may have been text.
	note := ""
	switch {
	case len(q.Guessed) > 0:
		note = fmt.Sprintf("no document has %s: read as words", describe(q.Guessed))
		reading.Plain = true
		q = Parse(r.Query, reading)
	case len(q.Must) > 0:
		note = fmt.Sprintf("no passage has the phrase %q: its words were searched for", q.Must)
		q.Must = nil
	default:
		return result, nil
	}
	result, err = s.run(ctx, r, settings, lib, q)
	if err == nil {
		result.Notes = append(result.Notes, note)
	}
	return result, err
}

// run answers a query that has been read.
func (s *Searcher) run(ctx context.Context, r Request, settings Settings, lib library, q Query) (*Result, error) {
	f := finding{Searcher: s, request: r, settings: settings, library: lib, query: q}
	f.result = &Result{Query: r.Query, Text: q.Text, Mode: settings.Mode, Notes: slices.Clone(q.Notes)}
	f.result.Diagnostics = Diagnostics{Settings: settings, Languages: lib.languages}
	f.must, f.not = f.phrases(q.Must), f.phrases(q.Not)
	f.ranker = newRanker(s.analyzer.Query(q.Text, lib.languages))
	if err := f.prepare(ctx); err != nil {
		return nil, err
	}
	if f.lexical == nil && f.vector == nil {
		f.note("the query has no words to search for")
		return f.result, nil
	}
	r.stage("retrieve")
	err := s.opt.Store.View(ctx, func(reader store.Reader) error { return f.read(ctx, reader) })
	return f.result, err
}

func (r *Request) stage(name string) {
	if r.Stage != nil {
		r.Stage(name)
	}
}

// finding is one search under way.
type finding struct {
	*Searcher
	request  Request
	settings Settings
	library  library
	query    Query
	must     []phrase
	not      []phrase
	ranker   *ranker
	lexical  *store.Lexical
	vector   *store.Vector
	scores   map[corpus.ID]score
	far      *float64 // the vector leg's last score, if the leg is full
	result   *Result
}

func (f *finding) note(format string, args ...any) {
	f.result.Notes = append(f.result.Notes, fmt.Sprintf(format, args...))
}

// prepare makes the legs: the terms, and the query's vector.
func (f *finding) prepare(ctx context.Context) error {
	if f.settings.Mode != Vector && len(f.ranker.terms) > 0 {
		f.lexical = &store.Lexical{Terms: f.ranker.terms, Budget: budget, Limit: max(pool, 2*f.depth())}
		f.lexical.Must, f.lexical.Not = terms(f.must), terms(f.not)
	}
	if f.settings.Mode == Keyword || strings.TrimSpace(f.query.Text) == "" || f.library.chunks == 0 {
		return nil
	}
	if why := f.noVectors(); why != "" {
		if f.settings.Mode == Vector {
			return fmt.Errorf("%w: %s", corpus.ErrUnsupported, why)
		}
		f.note("%s: searched by words only", why)
		return nil
	}
	f.request.stage("embed")
	begun := time.Now()
	v, err := f.opt.Embedder.EmbedQuery(ctx, f.query.Text)
	f.result.Diagnostics.Embed = time.Since(begun)
	switch {
	case err == nil:
		f.vector = &store.Vector{Query: v, Limit: f.depth()}
	case ctx.Err() != nil || f.settings.Mode == Vector:
		return fmt.Errorf("embed query: %w", err)
	default:
		f.opt.Log.Warn("query was not embedded", "error", err)
		f.note("the embedding model did not answer: searched by words only")
	}
	return nil
}

// noVectors says why there is no vector leg; "" if there is one.
func (f *finding) noVectors() string {
	live := f.library.generation.Space
	switch {
	case live == corpus.Space{}:
		return "the library has no vectors"
	case f.opt.Embedder == nil:
		return "no embedding model is set"
	case f.opt.Embedder.Space() != live:
		return fmt.Sprintf("the library's vectors are of %s, the model set is %s", live, f.opt.Embedder.Space())
	case f.library.embedded == 0:
		return "no passage has a vector yet"
	}
	return ""
}

// depth is how many candidates a leg gives to the fusion.
func (f *finding) depth() int { return max(depth, f.settings.K*f.settings.Multiplier) }
