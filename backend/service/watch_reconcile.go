package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/source/watch"
	"ibid/backend/store"
)

// Bounds of what an event tells.
const (
	maxTold     = 100 // actions
	maxProblems = 20  // at a time
)

// exactDocuments is how many documents are read before they are applied, to
// know what embedding them takes.
const exactDocuments = 50

// liveIngester returns what works with the model of the live generation.
func (s *Service) liveIngester(ctx context.Context, space corpus.Space) (*ingest.Ingester, error) {
	set := s.Config.Settings()
	embedder, err := s.models.of(ctx, space, set.Threads)
	if err != nil {
		return nil, err
	}
	model, _ := config.ModelOf(space) // of has found it
	return s.ingesterOf(ctx, set, model, embedder)
}

// reconcile plans what is wanted and applies what may be applied. What waits
// for consent, and what could not be done now, is noted. An error is about all
// of it.
func (k *keeper) reconcile(ctx context.Context, wanted map[corpus.ID]*want) error {
	in, err := k.ingester(ctx)
	if err != nil {
		return err
	}
	var opt ingest.PlanOptions
	opt.Places = map[corpus.ID][]string{}
	for id, w := range wanted {
		opt.Sources = append(opt.Sources, id)
		opt.Places[id] = w.places
	}
	slices.SortFunc(opt.Sources, func(a, b corpus.ID) int { return strings.Compare(k.sources[a].Name, k.sources[b].Name) })
	p, err := in.Plan(ctx, opt)
	if err != nil {
		return err
	}
	if k.sights.judge(p) {
		k.hint()
	}
	for _, s := range p.Sources { // a part may be unavailable where the whole can be understood
		if s.State == plan.SourceMissing && !slices.Contains(wanted[s.ID].places, "") {
			k.want(s.ID, []string{""}, watch.Returned, 0)
		}
	}
	allowed, err := k.judge(ctx, in, p, opt)
	if err != nil {
		return err
	}
	undone := k.notice(p)
	if p.Build { // applying anything of it would begin to make the library anew
		return nil
	}
	err = k.apply(ctx, in, k.selected(p, allowed), wanted, undone)
	for id := range wanted {
		k.again(id, undone[id])
	}
	return err
}

// judge decides which sources' changes are applied, and notes those that wait.
func (k *keeper) judge(ctx context.Context, in *ingest.Ingester, p *plan.Reindex, opt ingest.PlanOptions) (map[corpus.ID]bool, error) {
	allowed := map[corpus.ID]bool{}
	parts := shares(p)
	for _, id := range opt.Sources {
		s := parts[id]
		if s == nil {
			s = &share{}
		}
		why := ""
		if len(s.work) > 0 {
			t, err := k.terms(ctx, id, s)
			if err != nil {
				return nil, err
			}
			if why = t.objection(s); why != "" && !s.exact && s.overBudget(t.limits) && len(s.work) <= exactDocuments {
				if s, err = k.exactly(ctx, in, id, opt, s); err != nil {
					return nil, err
				}
				why = t.objection(s)
			}
		}
		waits := s.setting
		if why == "" {
			allowed[id] = true
		} else {
			waits = append(slices.Clone(s.work), s.setting...)
		}
		if why == "" && len(waits) > 0 {
			why = waits[0].Reason + ": that takes a plan"
		}
		k.await(id, opt.Places[id], waits, why)
	}
	return allowed, nil
}

// terms are those of a source now.
func (k *keeper) terms(ctx context.Context, id corpus.ID, s *share) (terms, error) {
	t := terms{policy: k.sources[id].Policy, limits: k.Config.Settings().Limits, removed: k.removals.count(id, time.Now())}
	if s.removed == 0 {
		return t, nil
	}
	err := k.Store.View(ctx, func(v store.Reader) error {
		tally, err := v.Tally(ctx, 0)
		t.documents = tally[id].Documents
		return err
	})
	return t, err
}

// exactly reads the documents of a source's share, so that the estimate of
// what embedding them takes becomes exact.
func (k *keeper) exactly(ctx context.Context, in *ingest.Ingester, id corpus.ID, opt ingest.PlanOptions, s *share) (*share, error) {
	opt.Sources, opt.Exact = []corpus.ID{id}, true
	p, err := in.Plan(ctx, opt)
	if err != nil {
		return nil, err
	}
	if exact := shares(p)[id]; exact != nil {
		s.tokens, s.exact = exact.tokens, true
	}
	return s, nil
}

// await notes which documents of a source wait for consent, as far as the
// places tell, and tells it where it changed.
func (k *keeper) await(id corpus.ID, places []string, actions []plan.Action, why string) {
	c := k.waiting[id]
	if c == nil {
		c = &consent{paths: map[string]bool{}}
	}
	coverage := plan.Coverage{Places: places}
	for p := range c.paths {
		if ok, _ := coverage.Covers(p); ok {
			delete(c.paths, p)
		}
	}
	for _, a := range actions {
		c.paths[a.Path] = true
	}
	if why != "" {
		c.why = why
	}
	k.waiting[id] = c
	now := fmt.Sprint(len(c.paths), c.why)
	if len(c.paths) == 0 {
		delete(k.waiting, id)
		if c.told == "" {
			return
		}
		c.why = ""
	} else if now == c.told {
		return
	}
	c.told = now
	k.publish()
	k.tell(api.WatchEvent{
		Type: api.WatchWaiting, Source: k.sources[id].Name, Waiting: len(c.paths), Why: c.why, Actions: wireActions(actions),
	})
}

func wireActions(actions []plan.Action) []api.PlanAction {
	var out []api.PlanAction
	for _, a := range actions[:min(len(actions), maxTold)] {
		out = append(out, wireAction(a))
	}
	return out
}

// selected cuts a plan down to what may be applied: the work of sources that
// are allowed, and fingerprints to refresh. The mark of a root is kept only
// where nothing of the source waits.
func (k *keeper) selected(p *plan.Reindex, allowed map[corpus.ID]bool) *plan.Reindex {
	out := p.Select(func(a plan.Action) bool {
		if !a.Kind.IsWork() {
			return a.Kind == plan.Unchanged
		}
		return allowed[a.Source] && !slices.Contains(settingCodes, a.Code)
	})
	// Of a source that is away nothing is applied, and its state is told apart.
	out.Sources = slices.DeleteFunc(out.Sources, func(s plan.Source) bool { return s.State == plan.SourceMissing })
	for i := range out.Sources {
		if k.count(out.Sources[i].ID) > 0 {
			out.Sources[i].Mark = ""
		}
	}
	return out
}

// notice returns the files that are in use, and tells of those that cannot be
// read, of each once.
func (k *keeper) notice(p *plan.Reindex) (busy map[corpus.ID][]string) {
	busy = map[corpus.ID][]string{}
	told := 0
	for _, a := range p.Actions {
		at := place{a.Source, a.Path}
		switch {
		case a.Kind == plan.Busy:
			busy[a.Source] = append(busy[a.Source], a.Path)
			continue
		case a.Kind == plan.Failed && a.Code != plan.ExtractionFailed && k.problems[at] != a.Reason && told < maxProblems:
			told++
			k.problems[at] = a.Reason
			k.tell(api.WatchEvent{Type: api.WatchProblem, Source: k.sources[a.Source].Name, Path: a.Path, Why: a.Reason})
		case a.Kind != plan.Failed:
			delete(k.problems, at)
		}
	}
	return busy
}

// again lets places be looked at later; without any, the source's patience is
// restored.
func (k *keeper) again(id corpus.ID, places []string) {
	r := k.later[id]
	switch {
	case len(places) == 0:
		if r != nil && len(r.places) == 0 {
			delete(k.later, id)
		}
		return
	case r == nil:
		r = &retry{patience: patience{first: time.Second, most: 5 * time.Minute}}
		k.later[id] = r
	}
	r.places = append(r.places, places...)
	r.at = time.Now().Add(r.next(rand.Float64()))
}

// apply applies what was selected, and adds to undone what is to be looked at
// again. Without work it only refreshes what is known of the files, and nobody
// is told.
func (k *keeper) apply(ctx context.Context, in *ingest.Ingester, p *plan.Reindex, wanted map[corpus.ID]*want, undone map[corpus.ID][]string) error {
	if p.WriteCount() == 0 && !k.refreshes(p) {
		return nil
	}
	release, err := k.turns.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if p.WriteCount() == 0 {
		_, err := in.Apply(ctx, p, ingest.ApplyOptions{Holder: k.Holder, NoWait: true})
		return err
	}
	run, _, err := k.runs.begin(corpus.NewID().String(), kindWatch, false, now())
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, run.cancel)
	defer stop()
	defer k.obey(run)()
	set := k.Config.Settings()
	conclude := k.conclude(run)
	opt := k.options(run, set, k.measure(ctx, in), conclude)
	opt.NoWait = true
	if opt.Sweep, err = k.sweeps(ctx); err != nil {
		k.Log.Warn("it is not known when the library was swept", "error", err)
	}
	var done []plan.Action
	tell := opt.Observe.Outcome
	opt.Observe.Outcome = func(o ingest.Outcome) {
		tell(o)
		if o.Fate == ingest.Done {
			done = append(done, o.Action)
		}
	}
	result, err := in.Apply(run.ctx, p, opt)
	k.runs.end(run, now(), func(v *api.Run) { conclude(v, result, err) })
	signal(k.pending)
	for _, a := range done {
		if a.Kind == plan.Removed {
			k.removals = append(k.removals, removal{time.Now(), a.Source, 1})
		}
	}
	for _, s := range result.Skipped { // stale or in use
		undone[s.Source] = append(undone[s.Source], s.Path)
	}
	if len(done)+len(result.Failed) > 0 {
		v := run.view()
		k.tell(api.WatchEvent{
			Type: api.WatchApplied, Source: k.names(wanted), Why: why(wanted), Run: &v, Actions: wireActions(done),
		})
	}
	switch {
	case errors.Is(err, corpus.ErrBusy):
		k.runs.forget(run) // nothing was done
	case errors.Is(err, context.Canceled) && ctx.Err() == nil:
		return nil // by somebody: not to be tried again before something happens
	}
	return err
}

// refreshes reports whether a plan without work has something to keep: newer
// fingerprints, or the mark of a root.
func (k *keeper) refreshes(p *plan.Reindex) bool {
	for _, s := range p.Sources {
		known := k.sources[s.ID]
		if s.Mark != "" && (s.Mark != known.Mark || s.FoldCase != known.FoldCase) {
			return true
		}
	}
	return slices.ContainsFunc(p.Actions, func(a plan.Action) bool { return a.Fingerprint != (corpus.Fingerprint{}) })
}

// names lists the sources in question.
func (k *keeper) names(wanted map[corpus.ID]*want) string {
	var names []string
	for id := range wanted {
		names = append(names, k.sources[id].Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// why says in words what led to looking.
func why(wanted map[corpus.ID]*want) string {
	words := map[watch.Cause]string{
		watch.Many: "many files changed", watch.Overflow: "the system lost track of changes",
		watch.Started: "watching began", watch.Returned: "the folder is back",
		watch.Swept: "regular look", watch.Polled: "regular look",
	}
	var causes []string
	for _, w := range wanted {
		text, ok := words[w.cause]
		if !ok {
			text = "files changed"
		}
		causes = append(causes, text)
	}
	slices.SortFunc(causes, cmp.Compare)
	return strings.Join(slices.Compact(causes), ", ")
}
