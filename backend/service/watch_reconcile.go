package service

import (
	"cmp"
	"context"
	"errors"
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
	if err := k.judge(ctx, in, p, opt); err != nil {
		return err
	}
	undone := k.notice(p)
	if p.Build { // applying anything of it would begin to make the library anew
		return nil
	}
	err = k.apply(ctx, in, k.selected(p), wanted, undone)
	for id := range wanted {
		k.again(id, undone[id])
	}
	return err
}

func wireActions(actions []plan.Action) []api.PlanAction {
	var out []api.PlanAction
	for _, a := range actions[:min(len(actions), maxTold)] {
		out = append(out, wireAction(a))
	}
	return out
}

// selected cuts a plan down to what may be applied: the work that does not
// wait, and fingerprints to refresh. The mark of a root is kept only
// where nothing of the source waits.
func (k *keeper) selected(p *plan.Reindex) *plan.Reindex {
	out := p.Select(func(a plan.Action) bool {
		if !a.Kind.IsWork() {
			return a.Kind == plan.Unchanged
		}
		c := k.waiting[a.Source]
		if c == nil {
			return true
		}
		_, waits := c.held[a.Path] // what follows from settings, too
		return !waits
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
	b, err := k.budget(ctx, p)
	if err != nil {
		k.runs.end(run, now(), func(v *api.Run) { conclude(v, ingest.Result{}, err) })
		k.runs.forget(run) // nothing was done
		return err
	}
	opt.Allow = b.allow
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
	k.settle(ctx, b, done)
	for _, s := range result.Skipped { // stale or in use
		if c := k.waiting[s.Source]; c != nil {
			if _, waits := c.held[s.Path]; waits {
				continue
			}
		}
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
