package search

import "ibid/backend/corpus"

// Whether a passage says anything about a query is judged on the legs' own
// scores: fused scores are relative to the query's other passages. Both
// are put on scales that mean the same in every library and for every model:
//
//	support = coverage + 0.6 × meaning
//
// where coverage is the share of the query's weight that the passage has, and
// meaning places the cosine on the model's scale. Of questions to another
// library 1 to 31 in 100 reach relevantSupport with any passage, of a library's
// own 99 to 100 do.
const (
	meaningWeight   = 0.6
	relevantSupport = 0.15
)

// Scale tells what cosines of a model mean.
type Scale struct {
	// Far is what the best passage reaches for questions that have nothing to
	// do with the library, Near what half of the passages reach that answer
	// their question. Both 0: not measured.
	Far, Near float64
}

// scales were measured by asking libraries the questions of others and their own.
var scales = map[string]Scale{
	"builtin/minilm":    {Far: 0.30, Near: 0.61},
	"builtin/bge-small": {Far: 0.58, Near: 0.75},
}

// ScaleOf returns the scale of an embedding space; the zero Scale for a model
// that was not measured.
func ScaleOf(space corpus.Space) Scale { return scales[space.Provider+"/"+space.Model] }

func (s Scale) measured() bool { return s.Near > s.Far }

// meaning is 0 at Far and 1 at Near; 0 for every cosine where the model was
// not measured.
func (s Scale) meaning(cosine float64) float64 {
	if !s.measured() {
		return 0
	}
	return (cosine - s.Far) / (s.Near - s.Far)
}

// support tells how far a passage that the legs judged so supports an answer.
// A passage that the full vector leg left out is no nearer than its last one.
func (f *finding) support(coverage float64, vector *Judgement) Support {
	s := Support{Coverage: coverage}
	switch {
	case f.vector == nil || !f.opt.Scale.measured():
	case vector != nil:
		s.Measured, s.Meaning = true, f.opt.Scale.meaning(vector.Score)
	case f.far != nil:
		s.Measured, s.Meaning = true, f.opt.Scale.meaning(*f.far)
	}
	return s
}

// Support is how far a passage says something about the query.
type Support struct {
	Coverage float64 // share of the query's weight that the passage has, 0…1
	Meaning  float64 // 0: as near as what has nothing to do with the query; 1: as near as an answer
	Measured bool    // false: nothing is known about the meaning
}

// Value joins both.
func (s Support) Value() float64 { return s.Coverage + meaningWeight*s.Meaning }

// irrelevant tells whether no passage of the ranking says anything about the
// query. Where meaning was not measured, where vectors are still missing, and
// where a name or a phrase was found, it stays open.
func (f *finding) irrelevant(ranking []Fused) bool {
	d := &f.result.Diagnostics
	if f.settings.Mode != Hybrid || f.request.MinScore != nil || len(f.query.Must) > 0 ||
		f.vector == nil || !f.opt.Scale.measured() || f.library.embedded < f.library.chunks {
		return false
	}
	pins := f.ranker.pins()
	d.BestSupport = f.support(0, nil).Value()
	for i, r := range ranking {
		s := f.scores[r.Chunk]
		if v := f.support(s.coverage, r.Vector).Value(); i == 0 || v > d.BestSupport {
			d.BestSupport = v
		}
		if pins && r.Keyword != nil && s.named {
			return false
		}
	}
	return d.BestSupport < relevantSupport
}
