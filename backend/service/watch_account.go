package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// account is what of a source was applied without asking lately, and what of it
// waits for consent. It stands with the library's requests: it outlasts the
// process that watches, and others read it. What a process applied is a request
// of its own, so that two that see the same do not write over each other; what
// waits they find out alike.
type account struct {
	waits
	mine   []spending
	others []spending
}

// waits is what waits of a source.
type waits struct {
	// Before is what had been applied lately when changes began to wait. As long
	// as they wait it does not become long ago: waiting is no consent.
	Before  sums   `json:"before,omitzero"`
	Waiting int    `json:"waiting,omitempty"` // documents
	Why     string `json:"why,omitempty"`
}

// sums are what limits are compared with.
type sums struct {
	Removed int `json:"removed,omitempty"` // documents
	Tokens  int `json:"tokens,omitempty"`  // embedded
}

func (a sums) plus(b sums) sums { return sums{a.Removed + b.Removed, a.Tokens + b.Tokens} }

func (a sums) minus(b sums) sums { return sums{a.Removed - b.Removed, a.Tokens - b.Tokens} }

// spending is what was applied without asking in one minute.
type spending struct {
	At time.Time `json:"at"`
	sums
}

const (
	// accountWindow is how long something counts that was applied without asking.
	accountWindow = 10 * time.Minute
	accountGrain  = time.Minute
)

// fresh leaves out what is long ago. A clock that was set back makes nothing
// count for ever.
func fresh(list []spending, now time.Time) []spending {
	return slices.DeleteFunc(list, func(x spending) bool {
		return x.sums == sums{} || now.Sub(x.At) > accountWindow+accountGrain || x.At.Sub(now) > accountWindow
	})
}

// window sums up what is not long ago, and forgets the rest.
func (a *account) window(now time.Time) (total sums) {
	a.mine, a.others = fresh(a.mine, now), fresh(a.others, now)
	for _, x := range slices.Concat(a.mine, a.others) {
		total = total.plus(x.sums)
	}
	return total
}

// lately is the window, or what stood there when changes began to wait.
func (a *account) lately(now time.Time) sums {
	w := a.window(now)
	return sums{max(w.Removed, a.Before.Removed), max(w.Tokens, a.Before.Tokens)}
}

// spend adds to what this process applied.
func (a *account) spend(at time.Time, s sums) {
	at = at.Truncate(accountGrain).UTC()
	i := slices.IndexFunc(a.mine, func(x spending) bool { return x.At.Equal(at) })
	if i < 0 {
		i = len(a.mine)
		a.mine = append(a.mine, spending{At: at})
	}
	a.mine[i].sums = a.mine[i].plus(s)
}

// unspend takes back what was not applied, unless it is long ago.
func (a *account) unspend(at time.Time, s sums) {
	at = at.Truncate(accountGrain)
	if i := slices.IndexFunc(a.mine, func(x spending) bool { return x.At.Equal(at) }); i >= 0 {
		left := a.mine[i].minus(s)
		a.mine[i].sums = sums{max(0, left.Removed), max(0, left.Tokens)}
	}
}

// await notes what waits now.
func (a *account) await(now time.Time, waiting int, why string) {
	switch {
	case waiting == 0:
		a.Before = sums{}
	case a.Waiting == 0:
		a.Before = a.window(now)
	}
	a.Waiting, a.Why = waiting, why
}

// Kinds of requests: whoever watches asks for consent to what waits of a
// source, and tells what it applied without. A source's id follows, and for the
// second kind that of the watch.
const (
	requestConsent = "consent "
	requestSpent   = "spent "
)

func consentKind(source corpus.ID) string { return requestConsent + source.String() }

func spentKind(source, watch corpus.ID) string {
	return requestSpent + source.String() + " " + watch.String()
}

// accounts are those among requests, by source, as a watch sees them. old are
// the kinds of requests that say nothing any more.
func accounts(asked []store.Request, watch corpus.ID, now time.Time) (all map[corpus.ID]*account, old []string) {
	all = map[corpus.ID]*account{}
	of := func(text string) *account {
		id, err := corpus.ParseID(text)
		if err != nil {
			return &account{}
		}
		if all[id] == nil {
			all[id] = &account{}
		}
		return all[id]
	}
	for _, r := range asked {
		if text, is := strings.CutPrefix(r.Kind, requestConsent); is {
			if json.Unmarshal([]byte(r.Run), &of(text).waits) != nil {
				old = append(old, r.Kind)
			}
		}
		text, is := strings.CutPrefix(r.Kind, requestSpent)
		if !is {
			continue
		}
		text, by, _ := strings.Cut(text, " ")
		var list []spending
		if json.Unmarshal([]byte(r.Run), &list) != nil || len(fresh(list, now)) == 0 {
			old = append(old, r.Kind)
			continue
		}
		if a := of(text); by == watch.String() {
			a.mine = list
		} else {
			a.others = append(a.others, list...)
		}
	}
	return all, old
}

// putWaits keeps what waits of a source, or that nothing does.
func (s *Service) putWaits(ctx context.Context, source corpus.ID, w waits) error {
	if w.Waiting == 0 {
		return s.Store.DropRequest(ctx, consentKind(source))
	}
	return s.putJSON(ctx, consentKind(source), w)
}

// putSpent keeps what a watch applied of a source.
func (s *Service) putSpent(ctx context.Context, source, watch corpus.ID, a *account) error {
	a.window(now())
	if len(a.mine) == 0 {
		return s.Store.DropRequest(ctx, spentKind(source, watch))
	}
	return s.putJSON(ctx, spentKind(source, watch), a.mine)
}

func (s *Service) putJSON(ctx context.Context, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", kind, err)
	}
	return s.request(ctx, kind, string(body))
}

// consented notes that somebody applied a plan of sources: what waited there
// was seen. Whoever watches finds out what is left of it.
func (s *Service) consented(ctx context.Context, sources []corpus.ID) error {
	var asked []store.Request
	err := s.Store.View(ctx, func(v store.Reader) (err error) {
		asked, err = v.Requests(ctx)
		return err
	})
	if err != nil {
		return err
	}
	all, _ := accounts(asked, corpus.NoID, now())
	for id, a := range all {
		if a.Waiting > 0 && slices.Contains(sources, id) {
			if err := s.putWaits(ctx, id, waits{}); err != nil {
				return err
			}
		}
	}
	return nil
}
