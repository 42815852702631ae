package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

func TestJoinedPlaces(t *testing.T) {
	many := make([]string, mostPlaces+1)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	for name, tt := range map[string]struct{ places, want []string }{
		"none":                  {nil, nil},
		"the same":              {[]string{"b", "a", "b", "a"}, []string{"a", "b"}},
		"the whole source":      {[]string{"a", ""}, []string{""}},
		"too many of the same":  {slices.Concat(many[1:], many[1:]), slices.Sorted(slices.Values(many[1:]))},
		"too many to look them": {many, []string{""}},
	} {
		if got := joined(tt.places); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d places, %.3q…", name, len(got), got)
		}
	}
}

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
		{"too many tokens", terms{policy: corpus.PolicyLimits}, share{tokens: 1001, exact: true}, "1001 tokens would be embedded, more than limits.tokens allows (1000)"},
		{"too many by an estimate", terms{policy: corpus.PolicyLimits}, share{tokens: 1001}, "about 1001"},
		{"tokens before", terms{policy: corpus.PolicyLimits, lately: sums{Tokens: 600}}, share{tokens: 401, exact: true}, "401 tokens would be embedded after 600"},
		{"tokens before, none now", terms{policy: corpus.PolicyLimits, lately: sums{Tokens: 2000}}, share{}, ""},
		{"exactly the tokens", terms{policy: corpus.PolicyLimits, lately: sums{Tokens: 600}}, share{tokens: 400}, ""},
		{"exactly a share", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Removed: .07}}, share{removed: 7}, ""},
		{"exactly a share that no binary fraction is", terms{policy: corpus.PolicyLimits, documents: 200, limits: config.Limits{Removed: .145}}, share{removed: 29}, ""},
		{"one more than a share", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Removed: .07}}, share{removed: 8}, "8 of 100"},
		{"no removals allowed", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Tokens: 1}}, share{removed: 1}, "1 of 100"},
		{"no tokens allowed", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Removed: 1}}, share{tokens: 1}, "limits.tokens"},
		{"no tokens allowed, none wanted", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Removed: 1}}, share{removed: 20}, ""},
		{"all may go, but no mass removal", terms{policy: corpus.PolicyLimits, documents: 100, limits: config.Limits{Removed: 1}}, share{removed: 21}, "21 of 100"},
		{"too many removals", terms{policy: corpus.PolicyLimits, documents: 19}, share{removed: 2}, "limits.removed"},
		{"removals before", terms{policy: corpus.PolicyLimits, documents: 18, lately: sums{Removed: 1}}, share{removed: 1}, "limits.removed"},
		{"removals before, none now", terms{policy: corpus.PolicyLimits, documents: 18, lately: sums{Removed: 9}}, share{}, ""},
		{"auto, a mass removal", terms{policy: corpus.PolicyAuto, documents: 100}, share{removed: 21}, "21 of 100"},
		{"auto, in small parts", terms{policy: corpus.PolicyAuto, documents: 80, lately: sums{Removed: 20}}, share{removed: 1}, "21 of 100"},
		{"auto, few of many", terms{policy: corpus.PolicyAuto, documents: 1000}, share{removed: 100}, ""},
		{"auto, all of few", terms{policy: corpus.PolicyAuto, documents: 20}, share{removed: 20}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.t.limits == (config.Limits{}) {
				tt.t.limits = limits
			}
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
		{Kind: plan.Updated, Source: a, Code: plan.ContentChanged, Chunks: plan.Counts{Exact: true}}, // emptied
		{Kind: plan.Updated, Source: a, Code: plan.RecipeChanged, Chunks: plan.Counts{Tokens: 1000}},
		{Kind: plan.Unchanged, Source: a},
		{Kind: plan.Busy, Source: b},
		{Kind: plan.Updated, Source: b, Code: plan.ContentChanged, Bytes: 9, Chunks: plan.Counts{Tokens: 5}},
	}}
	setting := func(a plan.Action) bool { return a.Code == plan.RecipeChanged }
	got := shares(p, setting)
	if s := got[a]; len(s.work) != 3 || len(s.setting) != 1 || s.removed != 2 || s.tokens != 10 || !s.exact {
		t.Errorf("share %+v", s)
	}
	if s := got[b]; len(s.work) != 1 || len(s.setting) != 0 || s.tokens != 5 || s.exact {
		t.Errorf("share %+v", s)
	}
	p.Build = true
	if s := shares(p, setting)[a]; len(s.work) != 0 || len(s.setting) != 4 {
		t.Errorf("when all is made anew: %+v", s)
	}
}

// What was applied without asking counts for a while, also where the clock is
// set back; while something waits it does not become long ago.
func TestAccountsCountForAWhile(t *testing.T) {
	at := time.Unix(0, 0)
	const end = accountWindow + accountGrain
	made := func() *account {
		a := &account{}
		a.spend(at, sums{Removed: 3, Tokens: 50})
		a.unspend(at.Add(time.Second), sums{Tokens: 20})
		a.unspend(at.Add(time.Minute), sums{Tokens: 20}) // there is nothing
		a.others = []spending{{at.Add(2 * time.Minute), sums{Removed: 4}}}
		return a
	}
	for _, tt := range []struct {
		after time.Duration
		want  sums
	}{
		{2 * time.Minute, sums{7, 30}},
		{end, sums{7, 30}},
		{end + time.Second, sums{Removed: 4}},
		{time.Hour, sums{}},
		{-accountWindow, sums{Removed: 3, Tokens: 30}}, // the clock was set back
		{-time.Hour, sums{}},
	} {
		if got := made().lately(at.Add(tt.after)); got != tt.want {
			t.Errorf("after %v: %v, want %v", tt.after, got, tt.want)
		}
	}
	a := made()
	a.await(at.Add(3*time.Minute), 2, "too much")
	a.await(at.Add(50*time.Minute), 3, "too much")
	if got := a.lately(at.Add(time.Hour)); got != (sums{7, 30}) {
		t.Errorf("while it waits: %v", got)
	}
	a.await(at.Add(time.Hour), 0, "")
	if got := a.lately(at.Add(time.Hour)); got != (sums{}) || len(a.mine)+len(a.others) != 0 {
		t.Errorf("when nothing waits: %v, kept %v", got, a)
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
