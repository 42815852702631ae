package service

import (
	"fmt"
	"slices"
	"time"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// terms are what a source's changes have to keep to in order to be applied
// without asking.
type terms struct {
	policy    corpus.Policy
	limits    config.Limits
	documents int // that the source has
	removed   int // of it lately, without asking
}

// share is a source's part of a plan.
type share struct {
	work    []plan.Action // that its policy decides about
	setting []plan.Action // that follow from changed settings: never applied without asking
	removed int
	tokens  int // to embed
	exact   bool
}

// shares divides a plan's work by source.
func shares(p *plan.Reindex) map[corpus.ID]*share {
	out := map[corpus.ID]*share{}
	for _, a := range p.Actions {
		if !a.Kind.IsWork() {
			continue
		}
		s := out[a.Source]
		if s == nil {
			s = &share{exact: true}
			out[a.Source] = s
		}
		if p.Build || slices.Contains(settingCodes, a.Code) {
			s.setting = append(s.setting, a)
			continue
		}
		s.work = append(s.work, a)
		s.tokens += a.Chunks.Tokens
		s.exact = s.exact && a.Chunks.Exact
		if a.Kind == plan.Removed {
			s.removed++
		}
	}
	return out
}

// settingCodes are the reasons that lie in the settings or in a new version of
// the program, not in the files.
var settingCodes = []plan.Code{plan.RecipeChanged, plan.ModelChanged, plan.AnalyzerChanged}

// objection says why a share is not applied without asking; "" means it is.
// Mass removals are counted over some time: they are no fewer for coming in
// small parts.
func (t terms) objection(s *share) string {
	removed, documents := s.removed+t.removed, t.documents+t.removed
	switch {
	case s.removed > 0 && plan.NewGuard(removed, documents) != nil:
		return fmt.Sprintf("%d of %d documents would be removed", removed, documents)
	case t.policy == corpus.PolicyAuto:
		return ""
	case t.policy != corpus.PolicyLimits:
		return "the source's policy is to ask"
	case s.removed > 0 && float64(removed) > t.limits.Removed*float64(documents):
		return fmt.Sprintf("%d of %d documents would be removed, more than limits.removed allows (%g)", removed, documents, t.limits.Removed)
	case s.overBudget(t.limits):
		return fmt.Sprintf("%d tokens would be embedded, more than limits.tokens allows (%d)", s.tokens, t.limits.Tokens)
	}
	return ""
}

func (s *share) overBudget(l config.Limits) bool { return s.tokens > l.Tokens }

// removals are the documents that were removed lately without asking.
type removals []removal

type removal struct {
	at     time.Time
	source corpus.ID
	n      int
}

// removalWindow is how long a removal counts towards a mass removal.
const removalWindow = 10 * time.Minute

// count forgets what is long ago and returns the number of a source.
func (r *removals) count(source corpus.ID, now time.Time) int {
	*r = slices.DeleteFunc(*r, func(x removal) bool { return now.Sub(x.at) > removalWindow })
	n := 0
	for _, x := range *r {
		if x.source == source {
			n += x.n
		}
	}
	return n
}

// patience is how long to wait before something is tried again: longer each
// time, up to a bound.
type patience struct {
	first, most time.Duration
	step        int
}

// next returns the wait; spread, from 0 to 1, keeps two processes from going
// in step.
func (p *patience) next(spread float64) time.Duration {
	d := p.first << min(p.step, 20)
	if d > p.most || d <= 0 {
		d = p.most
	}
	p.step++
	return d*3/4 + time.Duration(spread*float64(d)/2)
}

func (p *patience) reset() { p.step = 0 }
