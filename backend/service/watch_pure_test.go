package service

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

func TestObjection(t *testing.T) {
	limits := config.Limits{Removed: .1, Tokens: 1000}
	tests := []struct {
		name string
		t    terms
		s    share
		want string // part of the objection, "" for none
	}{
		{"auto", terms{policy: corpus.PolicyAuto}, share{tokens: 1e9}, ""},
		{"ask", terms{policy: corpus.PolicyAsk}, share{}, "policy is to ask"},
		{"no policy", terms{}, share{}, "policy is to ask"},
		{"within limits", terms{policy: corpus.PolicyLimits, documents: 10}, share{removed: 1, tokens: 1000}, ""},
		{"too many tokens", terms{policy: corpus.PolicyLimits}, share{tokens: 1001}, "limits.tokens"},
		{"too many removals", terms{policy: corpus.PolicyLimits, documents: 19}, share{removed: 2}, "limits.removed"},
		{"removals before", terms{policy: corpus.PolicyLimits, documents: 18, removed: 1}, share{removed: 1}, "limits.removed"},
		{"removals before, none now", terms{policy: corpus.PolicyLimits, documents: 18, removed: 9}, share{}, ""},
		{"auto, a mass removal", terms{policy: corpus.PolicyAuto, documents: 100}, share{removed: 21}, "21 of 100"},
		{"auto, in small parts", terms{policy: corpus.PolicyAuto, documents: 80, removed: 20}, share{removed: 1}, "21 of 100"},
		{"auto, few of many", terms{policy: corpus.PolicyAuto, documents: 1000}, share{removed: 100}, ""},
		{"auto, all of few", terms{policy: corpus.PolicyAuto, documents: 20}, share{removed: 20}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.t.limits = limits
			got := tt.t.objection(&tt.s)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("objection %q, want %q", got, tt.want)
			}
		})
	}
}

func TestShares(t *testing.T) {
	a, b := corpus.ID{1}, corpus.ID{2}
	p := &plan.Reindex{Actions: []plan.Action{
		{Kind: plan.Added, Source: a, Chunks: plan.Counts{Tokens: 10, Exact: true}},
		{Kind: plan.Removed, Source: a, Chunks: plan.Counts{Exact: true}},
		{Kind: plan.Updated, Source: a, Code: plan.RecipeChanged, Chunks: plan.Counts{Tokens: 1000}},
		{Kind: plan.Unchanged, Source: a},
		{Kind: plan.Busy, Source: b},
		{Kind: plan.Updated, Source: b, Code: plan.ContentChanged, Chunks: plan.Counts{Tokens: 5}},
	}}
	got := shares(p)
	if s := got[a]; len(s.work) != 2 || len(s.setting) != 1 || s.removed != 1 || s.tokens != 10 || !s.exact {
		t.Errorf("share %+v", s)
	}
	if s := got[b]; len(s.work) != 1 || len(s.setting) != 0 || s.tokens != 5 || s.exact {
		t.Errorf("share %+v", s)
	}
	p.Build = true
	if s := shares(p)[a]; len(s.work) != 0 || len(s.setting) != 3 {
		t.Errorf("when all is made anew: %+v", s)
	}
}

func TestRemovalsCountForAWhile(t *testing.T) {
	a, b := corpus.ID{1}, corpus.ID{2}
	at := time.Unix(0, 0)
	r := removals{{at, a, 3}, {at, b, 5}, {at.Add(time.Minute), a, 4}}
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{time.Minute, 7}, {removalWindow, 7}, {removalWindow + time.Second, 4}, {time.Hour, 0}} {
		if got := r.count(a, at.Add(tt.after)); got != tt.want {
			t.Errorf("after %v: %d, want %d", tt.after, got, tt.want)
		}
	}
	if len(r) != 0 {
		t.Errorf("kept: %v", r)
	}
}

func TestPatienceGrows(t *testing.T) { // S30
	p := patience{first: time.Second, most: time.Minute}
	last := time.Duration(0)
	for i := range 100 {
		low := p
		wait, short := p.next(1), low.next(0)
		if wait < last || short >= wait || wait > 75*time.Second || i == 0 && short < 750*time.Millisecond {
			t.Fatalf("wait %d is %v to %v, after %v", i, short, wait, last)
		}
		last = wait
	}
	if last != 75*time.Second {
		t.Errorf("in the end %v", last)
	}
	p.reset()
	if wait := p.next(.5); wait != time.Second {
		t.Errorf("after success %v", wait)
	}
}

func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		asked, giveBack, err := turns.lend(t.Context())
		if err != nil || closed(asked) {
			t.Fatalf("nobody wants it: %v", err)
		}
		took := make(chan func(), 2)
		for range 2 {
			go func() {
				release, err := turns.take(t.Context())
				if err != nil {
					t.Error(err)
				}
				took <- release
			}()
		}
		synctest.Wait()
		if !closed(asked) || len(took) != 0 {
			t.Fatal("it was not asked for, or given twice")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := turns.take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waited beyond its context: %v", err)
		}
		giveBack()
		synctest.Wait()
		if len(took) != 1 {
			t.Fatalf("%d have it", len(took))
		}
		(<-took)()
		(<-took)()
		asked, giveBack, err = turns.lend(t.Context())
		if err != nil || closed(asked) {
			t.Errorf("nobody wants it any more: %v", err)
		}
		giveBack()
	})
}
