package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"ibid/backend/api"
	"ibid/backend/service"
)

// shell is the window's life: it opens the library, keeps it in step with its
// sources, lets calls in while it is open, forwards its events and closes it.
type shell struct {
	open   func(ctx context.Context) (Library, error)
	opener opener
	log    *slog.Logger

	life context.Context //nolint:containedctx // the window's, parent of every call's
	end  context.CancelFunc

	ready chan struct{} // closed when these are set
	desk  desk
	lib   Library
	fault error // why lib could not be opened
	said  bool  // fault is not only that the window was closing

	mu     sync.Mutex
	closed bool
	going  sync.WaitGroup // calls, watching, and the forwarding of events
}

// desk is what the shell needs of the desktop.
type desk interface {
	Emit(e api.Event) // pushes an event to the page; does not block
	PickFolder() (string, error)
	Browse(address string)
	Alert(title, text string) // returns when it was read
	Show()                    // brings the window to the front
	Quit()                    // closes the window
}

func newShell(ctx context.Context, o Options) *shell {
	s := &shell{open: o.Open, log: o.Log, ready: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.life, s.end = context.WithCancel(ctx)
	return s
}

// start opens the library. If that fails it says why, then closes the window.
// A signal is not passed on here: Wails hears it too, and GTK may crash when two
// threads tell it to quit.
func (s *shell) start(d desk) {
	s.desk = d
	s.lib, s.fault = s.open(s.life)
	if s.fault == nil {
		s.going.Go(func() { forward(s.life, func() feed { return s.lib.Subscribe() }, d.Emit) })
		s.going.Go(s.watch)
	}
	s.said = s.fault != nil && s.life.Err() == nil
	close(s.ready)
	if s.said {
		d.Alert("ibid cannot open its library", paragraphs(s.fault))
		d.Quit()
	}
}

// watch keeps the library in step with its sources.
func (s *shell) watch() {
	if err := s.lib.Watch(s.life, service.WatchOptions{}); err != nil {
		s.log.Warn("The sources are not watched", "error", err)
	}
}

// paragraphs are what an error says, and below it what to do next.
func paragraphs(err error) string {
	if fault, ok := errors.AsType[*api.Error](err); ok && fault.Hint != "" {
		return fault.Message + "\n\n" + fault.Hint
	}
	return err.Error()
}

// stop ends what is going on, waits for it and closes the library. Its error is
// why that failed, or why there was no library.
func (s *shell) stop() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	<-s.ready
	s.going.Wait()
	s.opener.wait()
	switch {
	case s.said:
		return s.fault
	case s.lib == nil: // the window was closed before it was open
		return nil
	}
	return s.lib.Close()
}

// within calls fn with the library, once that is open and until the window closes.
func (s *shell) within(fn func(ctx context.Context, lib Library) error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return &api.Error{Code: api.CodeCanceled, Message: "the window is closing"}
	}
	s.going.Add(1)
	s.mu.Unlock()
	defer s.going.Done()
	<-s.ready
	if s.fault != nil {
		return s.fault
	}
	return fn(s.life, s.lib)
}
