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
	documents int  // that the source has
	lately    sums // of it, without asking
}

// share is a source's part of a plan.
type share struct {
	work    []plan.Action // that its policy decides about
	setting []plan.Action // that follow from changed settings: never applied without asking
	removed int
	tokens  int // to embed
	exact   bool
}

// shares divides a plan's work by source; setting tells what follows from
// changed settings.
func shares(p *plan.Reindex, setting func(plan.Action) bool) map[corpus.ID]*share {
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
		if p.Build || setting(a) {
			s.setting = append(s.setting, a)
			continue
		}
		s.add(a)
	}
	return out
}

func (s *share) add(a plan.Action) {
	s.work = append(s.work, a)
	s.tokens += a.Chunks.Tokens
	s.exact = s.exact && a.Chunks.Exact
	if loses(a) {
		s.removed++
	}
}

// loses reports whether nothing of a document is found any more after an
// action: a file that was emptied is as good as gone.
func loses(a plan.Action) bool {
	return a.Kind == plan.Removed || a.Kind == plan.Updated && a.Bytes == 0
}

// settingCodes are the reasons that lie in the settings or in a new version of
// the program, not in the files.
var settingCodes = []plan.Code{plan.RecipeChanged, plan.ModelChanged, plan.AnalyzerChanged}

// setting reports whether an action follows from changed settings. So does the
// removal of a file that is there: patterns or ignore files leave it out. Which
// pages there are, the site says.
func (k *keeper) setting(a plan.Action) bool {
	return slices.Contains(settingCodes, a.Code) || a.Code == plan.Excluded && k.sources[a.Source].Kind != corpus.SourceURL
}

// objection says why a share is not applied without asking; "" means it is.
// What is removed and embedded is counted over some time: it is no less for
// coming in small parts.
func (t terms) objection(s *share) string {
	removed, documents := s.removed+t.lately.Removed, t.documents+t.lately.Removed
	switch {
	case s.removed > 0 && plan.NewGuard(removed, documents) != nil:
		return fmt.Sprintf("%d of %d documents would be removed", removed, documents)
	case t.policy == corpus.PolicyAuto:
		return ""
	case t.policy != corpus.PolicyLimits:
		return "the source's policy is to ask"
	// Divided, a share is the number that a person wrote: 0.145 × 200 is less than 29.
	case s.removed > 0 && float64(removed)/float64(documents) > t.limits.Removed:
		return fmt.Sprintf("%d of %d documents would be removed, more than limits.removed allows (%g)", removed, documents, t.limits.Removed)
	case t.overBudget(s):
		about := "about "
		if s.exact {
			about = ""
		}
		return t.tokensWords(about, s.tokens)
	}
	return ""
}

func (t terms) overBudget(s *share) bool {
	return s.tokens > 0 && s.tokens+t.lately.Tokens > t.limits.Tokens
}

func (t terms) tokensWords(about string, tokens int) string {
	after := ""
	if t.lately.Tokens > 0 {
		after = fmt.Sprintf(" after %d in the last minutes", t.lately.Tokens)
	}
	return fmt.Sprintf("%s%d tokens would be embedded%s, more than limits.tokens allows (%d)", about, tokens, after, t.limits.Tokens)
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
