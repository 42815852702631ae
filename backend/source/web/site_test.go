package web

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a web site, and the library that has it as a source.
type site struct {
	*httptest.Server
	t      *testing.T
	pages  *Pages
	source corpus.Source

	mu     sync.Mutex
	paths  map[string]http.HandlerFunc
	asked  []*http.Request
	others []corpus.Source
	known  map[corpus.ID]map[string]corpus.Fingerprint
	now    time.Time
	slept  time.Duration
}

// newSite starts a site without pages. Its source is the given path.
func newSite(t *testing.T, root string) *site {
	t.Helper()
	s := &site{t: t, paths: map[string]http.HandlerFunc{}, known: map[corpus.ID]map[string]corpus.Fingerprint{}, now: time.Now()}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.paths[r.URL.Path]
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		if answer == nil {
			answer = http.NotFound
		}
		answer(w, r)
	}))
	s.pages = New(Options{Library: s, Private: true, Version: "test"})
	s.pages.clock = clock{
		now: func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return s.now },
		sleep: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if d > 0 {
				s.slept += d
				s.now = s.now.Add(d)
			}
			return ctx.Err()
		},
	}
	t.Cleanup(func() {
		s.pages.Close()
		s.Server.Close()
	})
	s.source = corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceURL, Name: "site", Root: s.URL + root, Private: true, CreatedAt: s.now}
	return s
}

func (s *site) Sources(context.Context) ([]corpus.Source, error) {
	return append([]corpus.Source{s.source}, s.others...), nil
}

func (s *site) Fingerprints(_ context.Context, source corpus.ID) (map[string]corpus.Fingerprint, error) {
	return maps.Clone(s.known[source]), nil
}

// serve sets what a path answers.
func (s *site) serve(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = answer
}

// text is an answer with a body, and header fields as "Name: value".
func text(body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, f := range fields {
			name, value, _ := strings.Cut(f, ": ")
			w.Header().Set(name, value)
			if name == "ETag" && r.Header.Get("If-None-Match") == value || name == "Last-Modified" && r.Header.Get("If-Modified-Since") == value {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		_, _ = w.Write([]byte(body))
	}
}

// status is an answer without a body.
func status(code int, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, f := range fields {
			name, value, _ := strings.Cut(f, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
	}
}

// list serves a list of paths as the root.
func (s *site) list(paths ...string) {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(s.URL + p + "\n")
	}
	s.serve(strings.TrimPrefix(s.source.Root, s.URL), text(b.String()))
}

// scan looks at the source and takes what it saw into the library.
func (s *site) scan() plan.Scan {
	s.t.Helper()
	scan := s.look("")
	if scan.Unavailable == "" {
		s.source.Mark = scan.Source.Mark
		known := map[string]corpus.Fingerprint{}
		for _, e := range scan.Entries {
			known[e.Path] = e.Fingerprint
		}
		s.known[s.source.ID] = known
	}
	return scan
}

// look looks at places and takes nothing.
func (s *site) look(places ...string) plan.Scan {
	s.t.Helper()
	s.mu.Lock()
	s.asked = nil
	s.mu.Unlock()
	scan, err := s.pages.Scan(s.t.Context(), s.source, places)
	if err != nil {
		s.t.Fatal(err)
	}
	return scan
}

// pass lets time go by, so that nothing is kept of what was fetched.
func (s *site) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(keptTime + time.Second)
}

// requests are the paths that were asked for since the last look, without robots.txt.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, r := range s.asked {
		if r.URL.Path != "/robots.txt" {
			paths = append(paths, r.URL.Path)
		}
	}
	return paths
}

// entry returns the entry of a path, which there has to be.
func (s *site) entry(scan plan.Scan, path string) plan.Entry {
	s.t.Helper()
	for _, e := range scan.Entries {
		if e.Path == s.URL+path {
			return e
		}
	}
	s.t.Fatalf("%s is not among %d entries; unavailable: %q", path, len(scan.Entries), scan.Unavailable)
	return plan.Entry{}
}
