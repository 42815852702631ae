// Package server is the HTTP shell: the service's methods as POST routes, its
// events as server-sent events, and the embedded frontend.
//
// It listens on loopback unless told otherwise, answers only to its own host
// names, and every request below /api carries the token, as a bearer token or
// in a same-site cookie. Nothing that a request names chooses a tenant.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"ibid/backend/api"
	"ibid/backend/viewer"
)

// Feed is a stream of events. Next waits for the next one; Close ends the feed.
type Feed interface {
	Next(ctx context.Context) (api.Event, error)
	Close()
}

// Options are what a server serves.
type Options struct {
	Service api.Service
	// Documents shows pages and files of documents; nil: none.
	Documents viewer.Library
	Subscribe func() Feed // all events from now on
	UI        fs.FS       // the built frontend; its root has index.html
	Token     string      // required of every request below /api; never empty
	Hosts     []string    // host names it answers to besides the loopback names
	Log       *slog.Logger
}

// Server is the HTTP shell.
type Server struct {
	opt     Options
	session string // cookie value, derived from the token
	mux     *http.ServeMux
}

// MaxBody bounds a request's body in bytes: a saved plan is the largest one.
const MaxBody = 64 << 20

// New returns a server. It fails without a token, so that none is forgotten.
func New(opt Options) (*Server, error) {
	if opt.Token == "" {
		return nil, errors.New("new server: no token")
	}
	s := &Server{opt: opt, session: sessionOf(opt.Token), mux: http.NewServeMux()}
	for name, handler := range s.routes() {
		s.mux.Handle("POST /api/v1/"+name, handler)
	}
	s.mux.HandleFunc("GET /api/v1/events", s.events)
	if opt.Documents != nil {
		s.mux.Handle("GET "+viewer.Prefix, viewer.New(func(ctx context.Context, use func(context.Context, viewer.Library) error) error {
			return use(ctx, opt.Documents)
		}))
	}
	s.mux.HandleFunc("GET /api/rag/ask", s.ask)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &api.Error{Code: api.CodeNotFound, Message: "no such endpoint: " + r.Method + " " + r.URL.Path})
	})
	s.mux.HandleFunc("/", s.ui)
	return s, nil
}

// Serve answers on l until ctx ends, then gives running requests five seconds.
// It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	// Requests end with ctx: an event stream would otherwise keep Shutdown waiting.
	server := &http.Server{
		Handler:           s.Handler(l.Addr()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	select {
	case err := <-stopped:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := server.Shutdown(grace)
	if err != nil {
		err = server.Close()
	}
	served := <-stopped
	switch {
	case err != nil:
		return fmt.Errorf("stop server: %w", err)
	case !errors.Is(served, http.ErrServerClosed):
		return fmt.Errorf("serve %s: %w", l.Addr(), served)
	}
	return nil
}

// Handler is the whole shell with its guards, for a listener's address.
func (s *Server) Handler(addr net.Addr) http.Handler {
	hosts := loopbackHosts(addr)
	for _, h := range s.opt.Hosts {
		hosts[h] = true
	}
	return headers(checkHost(hosts, checkOrigin(s.authenticate(s.mux))))
}
