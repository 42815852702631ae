package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Kinds of requests between processes.
const (
	// requestPause stands until it is taken back: nothing is embedded in the
	// background, and runs that go on when it comes stand still.
	requestPause = "pause"
	// requestCancel is for the run that it names, which takes it away.
	requestCancel = "cancel"
	// requestYield asks whoever embeds in the background for the writer role; that
	// process takes it away.
	requestYield = "yield"
)

const (
	// heedEvery is how often a run looks for requests.
	heedEvery = 300 * time.Millisecond
	// yieldWait is how long a run waits for another process's background
	// embedding to give way.
	yieldWait = 3 * time.Second
	// yieldGrace is how long background embedding leaves the writer role to
	// whoever asked for it.
	yieldGrace = 1500 * time.Millisecond
)

// requests returns what is asked, by kind.
func (s *Service) requests(ctx context.Context) (map[string]store.Request, error) {
	var list []store.Request
	err := s.Store.View(ctx, func(v store.Reader) (err error) {
		list, err = v.Requests(ctx)
		return err
	})
	asked := map[string]store.Request{}
	for _, r := range list {
		asked[r.Kind] = r
	}
	return asked, err
}

// isPaused reports whether what is asked keeps embedding in the background from
// going on.
func isPaused(asked []store.Request) bool {
	return slices.ContainsFunc(asked, func(r store.Request) bool { return r.Kind == requestPause })
}

func (s *Service) request(ctx context.Context, kind, run string) error {
	return s.Store.PutRequest(ctx, store.Request{Kind: kind, Run: run, By: s.Holder, At: now()})
}

// heed calls fn with what is asked, every now and then until stop is called,
// which waits for the last call. Nobody hears of a store that fails: the run
// itself will.
func (s *Service) heed(ctx context.Context, fn func(asked map[string]store.Request)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var aside sync.WaitGroup
	aside.Go(func() {
		tick := time.NewTicker(heedEvery)
		defer tick.Stop()
		for {
			if asked, err := s.requests(ctx); err == nil {
				fn(asked)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		aside.Wait()
	}
}

// obey lets a run do what other processes ask of it, until stop is called. A
// pause from before it began is not meant for it.
func (s *Service) obey(run *run) (stop func()) {
	var before *time.Time
	paused := false
	return s.heed(run.ctx, func(asked map[string]store.Request) {
		if asked[requestCancel].Run == run.id {
			run.cancel()
			s.heeded(run.ctx, requestCancel)
		}
		at := asked[requestPause].At
		if before == nil {
			before = &at
		}
		switch pause := !at.IsZero() && !at.Equal(*before); {
		case pause && !paused:
			run.control.Pause()
		case paused && !pause:
			run.control.Resume()
		default:
			return
		}
		paused = !paused
	})
}

// heeded takes a request away that was done.
func (s *Service) heeded(ctx context.Context, kind string) {
	if err := s.Store.DropRequest(context.WithoutCancel(ctx), kind); err != nil {
		s.Log.Warn("a request that was done stays", "kind", kind, "error", err)
	}
}

// patientStore is a store whose writer role another process's background
// embedding gives up when it is wanted.
type patientStore struct {
	store.Store
	service *Service
}

// Acquire waits for the role a while, and asks for it.
func (p patientStore) Acquire(ctx context.Context, holder string) (store.Writer, error) {
	w, err := p.Store.Acquire(ctx, holder)
	if !errors.Is(err, corpus.ErrBusy) {
		return w, err
	}
	if p.service.request(ctx, requestYield, "") == nil {
		defer p.service.heeded(ctx, requestYield)
	}
	deadline := time.Now().Add(yieldWait)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for errors.Is(err, corpus.ErrBusy) && time.Now().Before(deadline) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		w, err = p.Store.Acquire(ctx, holder)
	}
	return w, err
}

// asWriter does something in a turn of its own, with the writer role.
func (s *Service) asWriter(ctx context.Context, purpose string, fn func(w store.Writer) error) (err error) {
	release, err := s.turns.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	w, err := patientStore{s.Store, s}.Acquire(ctx, s.Holder+" ("+purpose+")")
	if err != nil {
		return err
	}
	defer s.watch.kick()
	defer func() { err = errors.Join(err, w.Release()) }()
	return fn(w)
}

// PauseRun lets a run stand still, or all that goes on and the embedding in
// the background.
func (s *Service) PauseRun(ctx context.Context, r api.PauseRunRequest) (api.Status, error) {
	out, err := s.steer(ctx, r.ID, func(run *run) { run.control.Pause() }, func() error { return s.request(ctx, requestPause, "") })
	return out, s.steered(ctx, auditPause, r.ID, s.fault(ctx, "pause", err))
}

// ResumeRun lets go on what PauseRun paused.
func (s *Service) ResumeRun(ctx context.Context, r api.PauseRunRequest) (api.Status, error) {
	out, err := s.steer(ctx, r.ID, func(run *run) { run.control.Resume() }, func() error { return s.Store.DropRequest(ctx, requestPause) })
	return out, s.steered(ctx, auditResume, r.ID, s.fault(ctx, "resume", err))
}

// steer does something with a run of this process, or else with all.
func (s *Service) steer(ctx context.Context, id string, one func(*run), all func() error) (api.Status, error) {
	run, here := s.runs.find(id)
	switch {
	case here && (run.kind == kindApply || run.kind == kindWatch):
		one(run)
		return s.status(ctx)
	case here && run.kind != kindEmbed:
		return api.Status{}, fmt.Errorf("%w: a run of kind %s does not stand still; it can be canceled", corpus.ErrUnsupported, run.kind)
	case !here && id != "":
		if _, err := s.findRun(ctx, id); err != nil {
			return api.Status{}, err
		}
	}
	if err := all(); err != nil {
		return api.Status{}, err
	}
	s.watch.kick()
	s.hint()
	return s.status(ctx)
}
