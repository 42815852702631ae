package service

import (
	"context"
	"sync"
	"time"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/search"
	"ibid/backend/store"
)

// Search answers a search.
func (s *Service) Search(ctx context.Context, r api.SearchRequest) (api.SearchResponse, error) {
	begun := time.Now()
	out, err := s.search(ctx, r)
	out.TookMS = milliseconds(time.Since(begun))
	return out, s.fault(ctx, "search", err)
}

func (s *Service) search(ctx context.Context, r api.SearchRequest) (api.SearchResponse, error) {
	if err := checkSearch(r); err != nil {
		return api.SearchResponse{}, err
	}
	at, err := s.ready(ctx, search.Mode(r.Mode), r.Filters)
	if err != nil {
		return api.SearchResponse{}, err
	}
	found, err := at.Search(ctx, search.Request{
		Query: r.Query, K: r.K, Mode: search.Mode(r.Mode), Filter: at.filter, MinScore: r.MinScore,
		Fusion: search.Fusion(r.Fusion), Weight: r.Weight, Explain: r.Explain,
	})
	if err != nil {
		return api.SearchResponse{}, err
	}
	s.interest.note(found.Hits)
	out := api.SearchResponse{
		Query: r.Query, Mode: string(found.Mode), Hits: wireHits(found, at.sources, r.Explain),
		Notes: append(at.notes, found.Notes...), Unknown: found.Unknown,
	}
	if r.Explain {
		out.Diagnostics = wireDiagnostics(found.Diagnostics, r.MinScore)
	}
	return out, nil
}

// readiness is what a request searches with.
type readiness struct {
	*search.Searcher
	sources map[corpus.ID]corpus.Source
	filter  store.Filter
	notes   []string
}

// ready prepares a search: the request's filter over the library's sources,
// and a searcher with the model of the live vectors, unless the mode needs none.
// Where that model cannot be opened, a hybrid search goes by words and says so.
// It never waits for a run, and says what is known to wait for one.
func (s *Service) ready(ctx context.Context, mode search.Mode, filters map[string][]string) (at readiness, err error) {
	set := s.Config.Settings()
	if mode == "" {
		mode = search.Mode(set.Search.Mode)
	}
	var sources []corpus.Source
	var info store.Info
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		if info, err = v.Info(ctx); err != nil {
			return err
		}
		sources, err = v.Sources(ctx)
		return err
	})
	if err != nil {
		return at, err
	}
	live, _ := info.Live()
	if at.filter, err = filter(filters, sources); err != nil {
		return at, err
	}
	at.sources = make(map[corpus.ID]corpus.Source, len(sources))
	for _, src := range sources {
		at.sources[src.ID] = src
	}
	known, err := s.staleness(ctx, info, sources)
	if err != nil {
		return at, err
	}
	at.notes = known.notes()
	var model embed.Embedder
	if mode != search.Keyword {
		model, err = s.models.of(ctx, live.Space, set.Threads)
		switch {
		case err != nil && (mode == search.Vector || ctx.Err() != nil):
			return at, err
		case err != nil:
			at.notes = append(at.notes, Fault(ctx, s.Log, "open the model", err).Message)
		}
	}
	at.Searcher, err = s.searchers.get(s, live.Space, model, set.Search)
	return at, err
}

// searchers keeps a searcher for each model and settings in use: they remember
// stems.
type searchers struct {
	mu   sync.Mutex
	kept map[searcherKey]*search.Searcher
}

type searcherKey struct {
	space    corpus.Space // zero: no vector leg
	settings config.Search
}

// keepSearchers is how many are kept before all are forgotten.
const keepSearchers = 8

func (ss *searchers) get(s *Service, space corpus.Space, model embed.Embedder, set config.Search) (*search.Searcher, error) {
	key := searcherKey{space, set}
	if model == nil {
		key.space = corpus.Space{}
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if at, ok := ss.kept[key]; ok {
		return at, nil
	}
	settings := search.DefaultSettings()
	settings.K, settings.Mode = set.K, search.Mode(set.Mode)
	settings.Fusion, settings.Weight = search.Fusion(set.Fusion), set.Weight
	known, _ := config.ModelOf(space)
	at, err := search.New(search.Options{
		Store: s.Store, Embedder: model, Languages: known.Languages, Settings: settings, Log: s.Log,
	})
	if err != nil {
		return nil, err
	}
	if ss.kept == nil || len(ss.kept) == keepSearchers {
		ss.kept = map[searcherKey]*search.Searcher{}
	}
	ss.kept[key] = at
	return at, nil
}

func wireHits(found *search.Result, sources map[corpus.ID]corpus.Source, explain bool) []api.Hit {
	hits := make([]api.Hit, 0, len(found.Hits))
	for i := range found.Hits {
		h := &found.Hits[i]
		out := wireHit(h, sources)
		if explain {
			out.Explain = &api.Explanation{Sentence: h.Why, Terms: []api.TermWeight{}}
			if found.Mode == search.Hybrid {
				out.Explain.Fusion, out.Explain.Weight = string(found.Diagnostics.Fusion), found.Diagnostics.Weight
			}
			for _, t := range h.Terms {
				out.Explain.Terms = append(out.Explain.Terms, api.TermWeight{
					Term: t.Term, Frequency: t.Frequency, Documents: t.Passages, Score: t.Score,
				})
			}
		}
		hits = append(hits, out)
	}
	return hits
}

func wireHit(h *search.Hit, sources map[corpus.ID]corpus.Source) api.Hit {
	out := api.Hit{
		Rank: h.Rank, Score: h.Score, Chunk: h.Chunk.ID.String(), Document: h.Document.ID.String(),
		Source: h.Document.Source.String(), SourceName: sources[h.Document.Source].Name,
		Path: h.Document.Path, Title: h.Document.Title, Type: h.Document.Type,
		URI:      uriOf(sources[h.Document.Source], h.Document),
		Location: location(h.Location), Text: h.Content, Marks: marks(h.Snippet),
		Legs: api.Legs{Keyword: leg(h.Keyword), Vector: leg(h.Vector)},
	}
	for _, m := range out.Marks {
		if m.Mark != "" {
			out.Snippet += "**" + m.Text + "**"
		} else {
			out.Snippet += m.Text
		}
	}
	for _, d := range h.Duplicates {
		out.Duplicates = append(out.Duplicates, api.Duplicate{
			Document: d.Document.ID.String(), Path: d.Document.Path, Location: location(d.Location),
		})
	}
	return out
}

func leg(j *search.Judgement) *api.Leg {
	if j == nil {
		return nil
	}
	return &api.Leg{Rank: j.Rank, Score: j.Score}
}

// marks divides a snippet at its matches.
func marks(s search.Snippet) []api.Segment {
	list := []api.Segment{}
	add := func(text, mark string) {
		if text != "" {
			list = append(list, api.Segment{Text: text, Mark: mark})
		}
	}
	end := 0
	for _, m := range s.Matches {
		add(s.Text[end:m.Start], "")
		add(s.Text[m.Start:m.End], "match")
		end = m.End
	}
	add(s.Text[end:], "")
	return list
}

func wireDiagnostics(d search.Diagnostics, least *float64) *api.Diagnostics {
	out := &api.Diagnostics{
		K: d.K, KeywordCandidates: d.KeywordFound, VectorCandidates: d.VectorFound,
		EmbedMS: milliseconds(d.Embed), StoreMS: milliseconds(d.Read), RankMS: milliseconds(d.Fit),
		ExactVectors: d.Exact,
	}
	if least != nil {
		out.MinScore = *least
	}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
