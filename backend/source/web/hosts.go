package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"ibid/backend/corpus"
)

// Politeness towards one host.
const (
	hostRequests = 2 // at a time
	// A server that asks to wait is waited for this long, this many times; what
	// takes longer is left to a later look.
	hostPatience = 30 * time.Second
	hostTries    = 3
	// How long to leave a server alone that says no more than "too many
	// requests", doubled each time, and the longest that is believed.
	hostPause    = time.Minute
	hostPauseMax = 24 * time.Hour
	// How long a robots.txt is believed (RFC 9309, section 2.4), how long that
	// there is none to be had, and how long that the host cannot be reached:
	// the network may be back any moment.
	robotsLife    = 24 * time.Hour
	robotsRetry   = 5 * time.Minute
	unreachedTime = 30 * time.Second
)

// host is what is known of a scheme, name and port. All of a process's looks
// share it.
type host struct {
	name  string
	turns chan struct{} // one for each request in flight
	// reading is held by whoever reads robots.txt.
	reading chan struct{}

	mu          sync.Mutex
	until       time.Time // it asked to be left alone
	asked       int       // how often in a row
	next        time.Time // when the next request may begin
	robots      robots
	robotsErr   error
	robotsUntil time.Time
}

func newHost(name string) *host {
	return &host{name: name, turns: make(chan struct{}, hostRequests), reading: make(chan struct{}, 1)}
}

// hosts are those that this process talked to.
type hosts struct {
	mu  sync.Mutex
	all map[string]*host
}

// of returns the host of an address, for one of the two dialers.
func (h *hosts) of(u *url.URL, private bool) *host {
	key := strconv.FormatBool(private) + " " + u.Scheme + "://" + u.Host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]*host{}
	}
	if h.all[key] == nil {
		h.all[key] = newHost(u.Host)
	}
	return h.all[key]
}

// enter waits for a turn and for what the host asked for. It fails with
// corpus.ErrBusy where that would take too long.
func (h *host) enter(ctx context.Context, c clock) (leave func(), err error) {
	select {
	case h.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave = func() { <-h.turns }
	h.mu.Lock()
	now := c.now()
	wait := h.until.Sub(now)
	start := later(now, h.until, h.next)
	if wait <= hostPatience {
		h.next = start.Add(h.robots.delay)
	}
	until := h.until
	h.mu.Unlock()
	if wait > hostPatience {
		leave()
		return nil, fmt.Errorf("%w: %s asked to be left alone until %s", corpus.ErrBusy, h.name, until.Local().Format("15:04:05"))
	}
	if err := c.sleep(ctx, start.Sub(now)); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func later(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// heard notes whether the host asked to be left alone, and returns until when.
func (h *host) heard(status int, header http.Header, now time.Time) (until time.Time, asked bool) {
	after := header.Get("Retry-After")
	h.mu.Lock()
	defer h.mu.Unlock()
	if status != http.StatusTooManyRequests && (status != http.StatusServiceUnavailable || after == "") {
		h.asked = 0
		return time.Time{}, false
	}
	wait := min(hostPause<<min(h.asked, 10), hostPauseMax)
	if s, err := strconv.Atoi(after); err == nil && s >= 0 {
		wait = min(time.Duration(min(s, int(hostPauseMax/time.Second)))*time.Second, hostPauseMax)
	} else if t, err := http.ParseTime(after); err == nil {
		wait = min(max(t.Sub(now), 0), hostPauseMax)
	}
	h.asked++
	h.until = later(h.until, now.Add(wait))
	return h.until, true
}

// rules returns the host's robots.txt, which read fetches where it is not known.
func (h *host) rules(ctx context.Context, c clock, read func(context.Context) ([]byte, error)) (robots, error) {
	select {
	case h.reading <- struct{}{}:
		defer func() { <-h.reading }()
	case <-ctx.Done():
		return robots{}, ctx.Err()
	}
	h.mu.Lock()
	known, knownErr, until := h.robots, h.robotsErr, h.robotsUntil
	h.mu.Unlock()
	if c.now().Before(until) {
		return known, knownErr
	}
	text, err := read(ctx)
	life := robotsLife
	var answered *statusError
	switch {
	case ctx.Err() != nil:
		return robots{}, ctx.Err()
	case err == nil:
		known = parseRobots(string(text))
	case errors.As(err, &answered) && answered.status/100 == 4 && !errors.Is(err, corpus.ErrBusy), errors.Is(err, fs.ErrNotExist):
		known, err = robots{}, nil // none: everything is allowed
	default:
		// Not to be had: nothing is allowed (RFC 9309, section 2.3.1.4).
		life, known = unreachedTime, robots{}
		if answered != nil {
			life = robotsRetry
			err = fmt.Errorf("robots.txt of %s: %w", h.name, err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.robots, h.robotsErr, h.robotsUntil = known, err, c.now().Add(life)
	return known, err
}

// clock is the time; tests have one of their own.
type clock struct {
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
}

var systemClock = clock{now: time.Now, sleep: func(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}}
