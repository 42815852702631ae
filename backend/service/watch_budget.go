package service

import (
	"context"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// budget keeps a run that nobody was asked about within the limits. Estimates
// may be too low: what a document takes is known when it was read.
type budget struct {
	at       time.Time // when it was reserved
	terms    map[corpus.ID]terms
	reserved map[corpus.ID]sums
	spent    map[corpus.ID]sums
	refused  map[corpus.ID][]plan.Action
}

// budget enters what a plan is going to remove and embed into the accounts of
// its sources, before anything is done: a process that is killed has spent it.
func (k *keeper) budget(ctx context.Context, p *plan.Reindex) (*budget, error) {
	b := &budget{at: now(), terms: map[corpus.ID]terms{}, reserved: map[corpus.ID]sums{}, spent: map[corpus.ID]sums{}, refused: map[corpus.ID][]plan.Action{}}
	for id, s := range shares(p, k.setting) {
		t, err := k.terms(ctx, id, false)
		if err != nil {
			return nil, err
		}
		t.lately = k.account(id).window(b.at) // what waits is not in the plan
		sum := sums{Removed: s.removed}
		if t.policy == corpus.PolicyLimits {
			b.terms[id] = t
			sum.Tokens = s.tokens
		}
		if sum == (sums{}) {
			continue
		}
		b.reserved[id] = sum
		a := k.account(id)
		a.spend(b.at, sum)
		if err := k.putSpent(ctx, id, k.id, a); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// allow decides about a document that was read.
func (b *budget) allow(a plan.Action, tokens int) string {
	t, limited := b.terms[a.Source]
	if !limited {
		return ""
	}
	t.lately.Tokens += b.spent[a.Source].Tokens
	if s := (share{tokens: tokens}); t.overBudget(&s) {
		a.Chunks.Tokens, a.Chunks.Exact = tokens, true
		b.refused[a.Source] = append(b.refused[a.Source], a)
		return t.tokensWords("", tokens)
	}
	b.spent[a.Source] = b.spent[a.Source].plus(sums{Tokens: tokens})
	return ""
}

// settle corrects the accounts by what was done, and lets wait what was not
// allowed.
func (k *keeper) settle(ctx context.Context, b *budget, done []plan.Action) {
	ctx = context.WithoutCancel(ctx)
	for _, a := range done {
		if loses(a) {
			b.spent[a.Source] = b.spent[a.Source].plus(sums{Removed: 1})
		}
	}
	for id, reserved := range b.reserved {
		if b.spent[id] == reserved {
			continue
		}
		a := k.account(id)
		a.unspend(b.at, reserved)
		a.spend(now(), b.spent[id])
		if err := k.putSpent(ctx, id, k.id, a); err != nil {
			k.Log.Warn("what was applied is not in its account", "error", err)
		}
	}
	for id, actions := range b.refused {
		c := k.waiting[id]
		if c == nil {
			c = &consent{held: map[string]held{}}
		}
		t := b.terms[id]
		t.lately.Tokens += b.spent[id].Tokens
		tokens := 0
		for _, a := range actions {
			tokens += a.Chunks.Tokens
		}
		k.holdBack(ctx, id, c, actions, t.tokensWords("", tokens))
	}
}
