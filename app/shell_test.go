package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/backend/service"
)

// screen is a desk that writes down what happens.
type screen struct {
	events chan api.Event
	quit   chan struct{} // closed by Quit

	mu     sync.Mutex
	alerts []string
	opened []string // addresses
	once   sync.Once
}

func newScreen() *screen {
	return &screen{events: make(chan api.Event, 1000), quit: make(chan struct{})}
}

func (d *screen) Emit(e api.Event)            { d.events <- e }
func (d *screen) PickFolder() (string, error) { return "/notes", nil }
func (d *screen) Show()                       {}
func (d *screen) Quit()                       { d.once.Do(func() { close(d.quit) }) }

func (d *screen) Browse(address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, address)
}

func (d *screen) Alert(_, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alerts = append(d.alerts, text)
}

// library is a service without a store, whose status is the test's.
type library struct {
	*service.Service
	status func(ctx context.Context) error
	closed bool
}

func newLibrary(status func(ctx context.Context) error) *library {
	return &library{Service: service.New(service.Parts{}), status: status}
}

func (l *library) Status(ctx context.Context, _ api.StatusRequest) (api.Status, error) {
	return api.Status{Version: "1"}, l.status(ctx)
}

// Watch leaves the sources alone.
func (l *library) Watch(ctx context.Context, _ service.WatchOptions) error {
	<-ctx.Done()
	return nil
}

func (l *library) Close() error {
	l.closed = true
	return l.Service.Close()
}

func opens(lib Library) Options {
	return Options{Open: func(context.Context) (Library, error) { return lib, nil }}
}

// The whole life over a real library: calls, pushed events, the end.
func TestLife(t *testing.T) {
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n\nalpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newShell(t.Context(), Options{Open: func(ctx context.Context) (Library, error) {
		return boot.Open(ctx, boot.Options{
			Library: t.TempDir(), Settings: map[string]string{"embeddings": "hash"}, Getenv: func(string) string { return "" },
		})
	}})
	d := newScreen()
	a, w := &App{s}, &Window{s}
	added := make(chan error, 1)
	go func() { // the page does not wait for the library
		_, err := a.AddSource(api.AddSourceRequest{Path: notes})
		added <- err
	}()
	s.start(d)
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	if _, err := a.Apply(api.ApplyRequest{RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	for e := range d.events {
		if e.RunID == "r" && e.Type == "end" {
			break
		}
	}
	run, err := a.GetRun(api.GetRunRequest{ID: "r"})
	if err != nil || run.State != api.RunDone || run.Summary.Added != 1 {
		t.Errorf("run %+v, %v", run, err)
	}
	for st := (api.Status{}); !st.Watching; <-time.After(time.Millisecond) {
		if st, err = a.Status(api.StatusRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	for name, open := range map[string]func(FileRequest) error{"open": w.OpenDocument, "reveal": w.RevealDocument} {
		if fault, ok := errors.AsType[*api.Error](open(FileRequest{Document: "../a.md"})); !ok || fault.Code != api.CodeInvalid {
			t.Errorf("%s a document that is none: %v", name, fault)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if _, err := a.Status(api.StatusRequest{}); !canceled(err) {
		t.Errorf("a call after the end: %v", err)
	}
}

func canceled(err error) bool {
	fault, ok := errors.AsType[*api.Error](err)
	return ok && fault.Code == api.CodeCanceled
}

func TestLibraryThatCannotBeOpened(t *testing.T) {
	fault := &api.Error{Code: api.CodeUnsupported, Message: "the library is newer", Hint: "Update ibid"}
	s := newShell(t.Context(), Options{Open: func(context.Context) (Library, error) { return nil, fault }})
	d := newScreen()
	s.start(d)
	<-d.quit
	if len(d.alerts) != 1 || d.alerts[0] != "the library is newer\n\nUpdate ibid" {
		t.Errorf("said %q", d.alerts)
	}
	if _, err := (&App{s}).Status(api.StatusRequest{}); !errors.Is(err, fault) {
		t.Errorf("a call: %v", err)
	}
	if err := s.stop(); !errors.Is(err, fault) {
		t.Errorf("the end: %v", err)
	}
}

func TestClosedWhileOpening(t *testing.T) {
	opening := make(chan struct{})
	s := newShell(t.Context(), Options{Open: func(ctx context.Context) (Library, error) {
		close(opening)
		<-ctx.Done()
		return nil, &api.Error{Code: api.CodeCanceled, Message: "canceled"}
	}})
	d := newScreen()
	var starting sync.WaitGroup
	starting.Go(func() { s.start(d) })
	<-opening
	if err := s.stop(); err != nil {
		t.Errorf("the end: %v", err)
	}
	starting.Wait()
	if len(d.alerts) > 0 {
		t.Errorf("said %q", d.alerts)
	}
}

// Closing the window cancels calls, waits for them, and only then closes the library.
func TestStopWaitsForCalls(t *testing.T) {
	called := make(chan struct{})
	var lib *library
	lib = newLibrary(func(ctx context.Context) error {
		close(called)
		<-ctx.Done()
		if lib.closed {
			t.Error("the library was closed under a call")
		}
		return &api.Error{Code: api.CodeCanceled, Message: "canceled"}
	})
	s := newShell(t.Context(), opens(lib))
	s.start(newScreen())
	ended := make(chan error, 1)
	go func() {
		_, err := (&App{s}).Status(api.StatusRequest{})
		ended <- err
	}()
	<-called
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !canceled(err) || !lib.closed {
		t.Errorf("the call: %v; library closed: %v", err, lib.closed)
	}
}

// TestSignal: the window hears a signal by itself; what runs here ends with it.
func TestSignal(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	s := newShell(ctx, opens(newLibrary(func(context.Context) error { return nil })))
	d := newScreen()
	s.start(d)
	interrupt()
	<-s.life.Done()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// Calls race with the end: each is answered or refused, none reaches a closed library.
func TestStartStopStress(t *testing.T) {
	for range 50 {
		var lib *library
		lib = newLibrary(func(context.Context) error {
			if lib.closed {
				t.Error("a call reached a closed library")
			}
			return nil
		})
		s := newShell(t.Context(), opens(lib))
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				for range 20 {
					if status, err := (&App{s}).Status(api.StatusRequest{}); err != nil && !canceled(err) || err == nil && status.Version != "1" {
						t.Errorf("%+v, %v", status, err)
					}
				}
			})
		}
		s.start(newScreen())
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		calls.Wait()
	}
}

func TestOpenLink(t *testing.T) {
	s := newShell(t.Context(), opens(newLibrary(nil)))
	d := newScreen()
	s.start(d)
	for _, test := range []struct {
		link string
		ok   bool
	}{
		{"https://example.org/a?b=c#d", true},
		{"HTTP://example.org", true},
		{"file:///etc/passwd", false},
		{"javascript:alert(1)", false},
		{"smb://host/share", false},
		{"https:", false},
		{"https:///path", false},
		{"//example.org", false},
		{"-https://example.org", false},
		{"https://example.org/\x00", false},
		{"", false},
	} {
		d.opened = nil
		err := (&Window{s}).OpenLink(LinkRequest{URL: test.link})
		if (err == nil) != test.ok || (len(d.opened) == 1) != test.ok {
			t.Errorf("%q: %v, opened %q", test.link, err, d.opened)
		}
	}
	if path, err := (&Window{s}).PickFolder(); path != "/notes" || err != nil {
		t.Errorf("picked %q, %v", path, err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
