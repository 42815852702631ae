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
// process that watches, and others read it.
type account struct {
	Spent []spending `json:"spent,omitempty"`
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

// window forgets what is long ago and sums up the rest. A clock that was set
// back makes nothing count for ever.
func (a *account) window(now time.Time) (total sums) {
	a.Spent = slices.DeleteFunc(a.Spent, func(x spending) bool {
		return now.Sub(x.At) > accountWindow+accountGrain || x.At.Sub(now) > accountWindow
	})
	for _, x := range a.Spent {
		total = total.plus(x.sums)
	}
	return total
}

// lately is the window, or what stood there when changes began to wait.
func (a *account) lately(now time.Time) sums {
	w := a.window(now)
	return sums{max(w.Removed, a.Before.Removed), max(w.Tokens, a.Before.Tokens)}
}

// spend adds to what was applied, or takes back what was not.
func (a *account) spend(now time.Time, s sums) {
	at := now.Truncate(accountGrain).UTC()
	i := slices.IndexFunc(a.Spent, func(x spending) bool { return x.At.Equal(at) })
	if i < 0 {
		i = len(a.Spent)
		a.Spent = append(a.Spent, spending{At: at})
	}
	a.Spent[i].sums = a.Spent[i].plus(s)
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

// requestConsent and a source's id are the kind of request that an account is:
// whoever watches asks for consent to what waits.
const requestConsent = "consent "

func consentKind(source corpus.ID) string { return requestConsent + source.String() }

// accounts are those among requests, by source.
func accounts(asked []store.Request) map[corpus.ID]*account {
	out := map[corpus.ID]*account{}
	for _, r := range asked {
		text, is := strings.CutPrefix(r.Kind, requestConsent)
		if !is {
			continue
		}
		a := &account{}
		if id, err := corpus.ParseID(text); err == nil && json.Unmarshal([]byte(r.Run), a) == nil {
			out[id] = a
		}
	}
	return out
}

// putAccount keeps a source's account, or drops one that says nothing.
func (s *Service) putAccount(ctx context.Context, source corpus.ID, a *account) error {
	a.window(now())
	if a.Waiting == 0 && len(a.Spent) == 0 {
		return s.Store.DropRequest(ctx, consentKind(source))
	}
	body, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode account: %w", err)
	}
	return s.request(ctx, consentKind(source), string(body))
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
	for id, a := range accounts(asked) {
		if a.Waiting > 0 && slices.Contains(sources, id) {
			a.await(now(), 0, "")
			if err := s.putAccount(ctx, id, a); err != nil {
				return err
			}
		}
	}
	return nil
}
