package service

import (
	"context"
	"time"

	"ibid/backend/api"
	"ibid/backend/chat"
	"ibid/backend/corpus"
)

// Ask answers a question with citations.
func (s *Service) Ask(ctx context.Context, r api.AskRequest) (api.Answer, error) {
	begun := time.Now()
	var out api.Answer
	err := s.within(ctx, r.RunID, kindAsk, func(ctx context.Context, run *run) (err error) {
		out, err = s.ask(ctx, r, run)
		return err
	})
	out.TookMS = milliseconds(time.Since(begun))
	return out, s.fault(ctx, "answer", err)
}

func (s *Service) ask(ctx context.Context, r api.AskRequest, run *run) (api.Answer, error) {
	if err := checkQuery("question", r.Question); err != nil {
		return api.Answer{}, err
	}
	if err := checkK(r.K); err != nil {
		return api.Answer{}, err
	}
	at, err := s.ready(ctx, "", r.Filters)
	if err != nil {
		return api.Answer{}, err
	}
	answerer := chat.Answerer{Store: s.Store, Retriever: at.Searcher}
	question := chat.Question{Text: r.Question, K: r.K, Filter: at.filter}
	if run != nil {
		question.Stage = func(stage string) { run.progress(api.Progress{Stage: stage}) }
	}
	answer, err := answerer.Answer(ctx, question)
	if err != nil {
		return api.Answer{}, err
	}
	if run != nil {
		run.stream.Delta(answer.Text)
	}
	out := api.Answer{
		Question: r.Question, Answer: answer.Text, Parts: []api.Part{}, Citations: []api.Citation{},
		Sufficient: answer.Sufficient, Model: answer.Model, Considered: []api.Hit{},
		Searched: answer.Searched, Notes: append(at.notes, answer.Notes...),
	}
	for _, p := range answer.Parts {
		out.Parts = append(out.Parts, api.Part{Text: p.Text, Citations: append([]int{}, p.Citations...)})
	}
	changed := map[corpus.ID]bool{}
	for _, c := range answer.Citations {
		d := c.Passage.Document
		if _, known := changed[d.ID]; !known {
			changed[d.ID], _ = s.changedSince(ctx, at.sources[d.Source], d)
		}
		if changed[d.ID] {
			c.State = chat.Stale
		}
		out.Citations = append(out.Citations, api.Citation{
			N: c.N, Chunk: c.Passage.ID.String(), Document: d.ID.String(), SourceName: at.sources[d.Source].Name, Path: d.Path, Title: d.Title,
			URI:      uriOf(at.sources[d.Source], d),
			Location: location(c.Location), Quote: c.Quote, State: string(c.State),
		})
	}
	for i := range answer.Considered {
		out.Considered = append(out.Considered, wireHit(&answer.Considered[i], at.sources))
	}
	return out, nil
}
