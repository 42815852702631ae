package service

import (
	"context"
	"fmt"
	"slices"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/source/watch"
	"ibid/backend/store"
)

// judge notes which changes of a plan wait for consent; the others may be
// applied.
func (k *keeper) judge(ctx context.Context, in *ingest.Ingester, p *plan.Reindex, opt ingest.PlanOptions) error {
	parts := shares(p, k.setting)
	if err := k.recount(ctx); err != nil {
		return err
	}
	for _, id := range opt.Sources {
		if slices.ContainsFunc(p.Sources, func(s plan.Source) bool { return s.ID == id && s.State == plan.SourceMissing }) {
			continue // of what waits nothing is known while it is away
		}
		s := parts[id]
		if s == nil {
			s = &share{exact: true}
		}
		waits, why, err := k.decide(ctx, in, id, opt, s)
		if err != nil {
			return err
		}
		waits = append(slices.Clone(waits), s.setting...)
		if why == "" && len(waits) > 0 {
			why = waits[0].Reason + ": that takes a plan"
		}
		k.await(ctx, id, opt.Places[id], waits, why)
	}
	return nil
}

// decide tells which of a source's changes wait, and why. All that is not
// applied yet is judged as one, so that nothing comes in by parts that waits as
// a whole; where that is too much, what is new is judged by itself, so that a
// saved note does not wait for the consent to a large folder. A change that
// waits goes on waiting then, and removals that wait count as new ones.
func (k *keeper) decide(ctx context.Context, in *ingest.Ingester, id corpus.ID, opt ingest.PlanOptions, s *share) ([]plan.Action, string, error) {
	c := k.waiting[id]
	elsewhere, others := c.beyond(plan.Coverage{Places: opt.Places[id]})
	if len(s.work)+others == 0 {
		return nil, "", nil
	}
	s.remember(c)
	t, err := k.terms(ctx, id, s.removed+elsewhere.Removed > 0)
	if err != nil {
		return nil, "", err
	}
	if !s.exact && t.policy == corpus.PolicyLimits && t.overBudget(s) && len(s.work) <= exactDocuments {
		if err := k.exactly(ctx, in, id, opt, s); err != nil {
			return nil, "", err
		}
	}
	all := *s
	all.removed, all.tokens = s.removed+elsewhere.Removed, s.tokens+elsewhere.Tokens
	why := t.objection(&all)
	if why == "" {
		if others > 0 { // it waits no more
			k.want(id, c.places(), watch.Changed, 0)
		}
		return nil, "", nil
	}
	fresh := s.without(c)
	if len(fresh.work) > 0 && len(fresh.work) < len(s.work)+others {
		t.lately.Tokens = k.account(id).window(now()).Tokens
		t.lately.Removed += all.removed - fresh.removed
		if t.objection(fresh) == "" {
			return slices.DeleteFunc(slices.Clone(s.work), func(a plan.Action) bool { return !c.has(a.Path) }), c.why, nil
		}
	}
	return s.work, why, nil
}

// beyond sums up the changes that wait where the coverage does not look, and
// counts them; those that follow from settings apart.
func (c *consent) beyond(coverage plan.Coverage) (total sums, n int) {
	if c == nil {
		return total, 0
	}
	for path, h := range c.held {
		if ok, _ := coverage.Covers(path); !ok && !h.setting {
			total = total.plus(h.sums)
			n++
		}
	}
	return total, n
}

func (c *consent) has(path string) bool {
	if c == nil {
		return false
	}
	h, ok := c.held[path]
	return ok && !h.setting
}

// remember puts what was found out about changes that wait in the place of
// lower estimates.
func (s *share) remember(c *consent) {
	if c == nil {
		return
	}
	for i := range s.work {
		a := &s.work[i]
		if h, ok := c.held[a.Path]; ok && h.content == a.Content && !a.Chunks.Exact && a.Chunks.Tokens < h.Tokens {
			s.tokens += h.Tokens - a.Chunks.Tokens
			a.Chunks.Tokens = h.Tokens
		}
	}
}

// without is the share of the changes that do not wait yet.
func (s *share) without(c *consent) *share {
	out := &share{exact: true}
	for _, a := range s.work {
		if !c.has(a.Path) {
			out.add(a)
		}
	}
	return out
}

// recount reads the accounts, which other processes change as well.
func (k *keeper) recount(ctx context.Context) error {
	return k.Store.View(ctx, func(v store.Reader) error {
		asked, err := v.Requests(ctx)
		k.accounts, _ = accounts(asked, k.id, now())
		return err
	})
}

// account is that of a source, to be changed.
func (k *keeper) account(id corpus.ID) *account {
	a := k.accounts[id]
	if a == nil {
		a = &account{}
		k.accounts[id] = a
	}
	return a
}

// terms are those of a source now; removes: removals are judged by them, for
// which its documents have to be counted.
func (k *keeper) terms(ctx context.Context, id corpus.ID, removes bool) (terms, error) {
	t := terms{policy: k.sources[id].Policy, limits: k.Config.Settings().Limits, lately: k.account(id).lately(now())}
	if !removes {
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
func (k *keeper) exactly(ctx context.Context, in *ingest.Ingester, id corpus.ID, opt ingest.PlanOptions, s *share) error {
	opt.Sources, opt.Exact = []corpus.ID{id}, true
	p, err := in.Plan(ctx, opt)
	if err != nil {
		return err
	}
	found := map[string]plan.Action{}
	if exact := shares(p, k.setting)[id]; exact != nil {
		for _, a := range exact.work {
			found[a.Path] = a
		}
	}
	now := share{setting: s.setting, exact: true}
	for _, a := range s.work {
		if e, ok := found[a.Path]; ok && e.Content == a.Content {
			a.Chunks = e.Chunks
		}
		now.add(a)
	}
	*s = now
	return nil
}

// await notes which documents of a source wait for consent, as far as the
// places tell, and tells it where it changed.
func (k *keeper) await(ctx context.Context, id corpus.ID, places []string, actions []plan.Action, why string) {
	c := k.waiting[id]
	coverage := plan.Coverage{Places: places}
	if c == nil {
		if whole, _ := coverage.Covers(""); len(actions) == 0 && !whole {
			return // of what waited before this process nothing is known yet
		}
		c = &consent{held: map[string]held{}}
	}
	for p := range c.held {
		if ok, _ := coverage.Covers(p); ok {
			delete(c.held, p)
		}
	}
	k.holdBack(ctx, id, c, actions, why)
}

// holdBack adds changes to those that wait.
func (k *keeper) holdBack(ctx context.Context, id corpus.ID, c *consent, actions []plan.Action, why string) {
	for _, a := range actions {
		h := held{content: a.Content, setting: k.setting(a), sums: sums{Tokens: a.Chunks.Tokens}}
		if loses(a) {
			h.Removed = 1
		}
		c.held[a.Path] = h
	}
	c.policy, c.limits = k.sources[id].Policy, k.Config.Settings().Limits
	if why != "" {
		c.why = why
	}
	k.waiting[id] = c
	if len(c.held) == 0 {
		delete(k.waiting, id)
		c.why = ""
	}
	if a := k.account(id); a.Waiting != len(c.held) || a.Why != c.why {
		a.await(now(), len(c.held), c.why)
		if err := k.putWaits(ctx, id, a.waits); err != nil && ctx.Err() == nil {
			k.Log.Warn("what waits for consent was not noted", "error", err)
		}
	}
	now := fmt.Sprint(len(c.held), c.why)
	if len(c.held) == 0 && c.told == "" || now == c.told {
		return
	}
	c.told = now
	k.publish()
	k.tell(api.WatchEvent{
		Type: api.WatchWaiting, Source: k.sources[id].Name, Waiting: len(c.held), Why: c.why, Actions: wireActions(actions),
	})
}
