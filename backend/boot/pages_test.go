package boot

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

// website serves pages that a test changes, and counts what is asked.
type website struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]http.HandlerFunc
	sent  int // bodies
}

func newWebsite(t *testing.T) *website {
	t.Helper()
	w := &website{pages: map[string]http.HandlerFunc{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		answer := w.pages[r.URL.Path]
		w.mu.Unlock()
		if answer == nil {
			answer = http.NotFound
		}
		answer(out, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *website) answer(path string, how http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages[path] = how
}

// page serves HTML with an entity tag.
func (w *website) page(path, title, text string) {
	body := fmt.Sprintf("<!doctype html><title>%s</title><h1>%s</h1><p>%s</p>", title, title, text)
	tag := `"` + corpus.HashBytes([]byte(body)).String()[:12] + `"`
	w.answer(path, func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			out.WriteHeader(http.StatusNotModified)
			return
		}
		w.mu.Lock()
		w.sent++
		w.mu.Unlock()
		_, _ = out.Write([]byte(body))
	})
}

// fail answers with a status and no body.
func (w *website) fail(path string, status int, fields ...string) {
	w.answer(path, func(out http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(fields); i += 2 {
			out.Header().Set(fields[i], fields[i+1])
		}
		out.WriteHeader(status)
	})
}

// list serves a list of paths.
func (w *website) list(paths ...string) {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(w.URL + p + "\n")
	}
	w.answer("/list.txt", func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write([]byte(b.String())) })
}

// reader is a library of web pages.
type reader struct {
	*Library
	t      *testing.T
	site   *website
	folder string
}

func newReader(t *testing.T, o Options) *reader {
	t.Helper()
	if o.Library == "" {
		o.Library = t.TempDir()
	}
	o.Settings = map[string]string{"embeddings": "hash"}
	o.Getenv = func(string) string { return "" }
	return &reader{Library: opened(t, o), t: t, site: newWebsite(t), folder: o.Library}
}

func (r *reader) add(path string) {
	r.t.Helper()
	if _, err := r.AddSource(r.t.Context(), api.AddSourceRequest{Path: r.site.URL + path, Private: true}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) plan() api.Plan {
	r.t.Helper()
	p, err := r.Plan(r.t.Context(), api.PlanRequest{})
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (r *reader) apply(req api.ApplyRequest) api.Run {
	r.t.Helper()
	return run(r.t, r.Library, req)
}

// found are the paths of the pages that have a word.
func (r *reader) found(word string) []string {
	r.t.Helper()
	got, err := r.Search(r.t.Context(), api.SearchRequest{Query: word, Mode: "keyword"})
	if err != nil {
		r.t.Fatal(err)
	}
	var paths []string
	for _, h := range got.Hits {
		paths = append(paths, strings.TrimPrefix(h.Path, r.site.URL))
	}
	slices.Sort(paths)
	return paths
}

func (r *reader) finds(word string, paths ...string) {
	r.t.Helper()
	if got := r.found(word); !slices.Equal(got, paths) {
		r.t.Errorf("%q is found in %q, want %q", word, got, paths)
	}
}

// actions say what a plan does, by path.
func (r *reader) actions(p api.Plan) map[string]string {
	out := map[string]string{}
	for _, a := range p.Actions {
		out[strings.TrimPrefix(a.Path, r.site.URL)] = a.Action + ": " + a.Reason
	}
	return out
}

// Pages are planned, indexed, found, updated, removed; what did not change
// costs nothing.
func TestPages(t *testing.T) {
	r := newReader(t, Options{})
	r.site.page("/a", "Apples", "Apples grow in the orchard.")
	r.site.page("/b.php", "Pears", "Pears are sweet.")
	r.site.list("/a", "/b.php", "/c")
	r.add("/list.txt")
	p := r.plan()
	if p.Summary.Added != 2 || p.Actions[0].Reason != "new page" || p.Actions[0].Chunks.Embed == 0 {
		t.Fatalf("%+v", p)
	}
	if run := r.apply(api.ApplyRequest{Plan: p.ID}); run.State != api.RunDone || run.Summary.Added != 2 || run.Summary.Embedded == 0 {
		t.Fatalf("%+v", run)
	}
	if r.site.sent != 2 {
		t.Errorf("%d bodies were sent for two pages", r.site.sent)
	}
	r.finds("orchard", "/a")
	r.finds("pears", "/b.php")

	if p := r.plan(); p.Summary.Unchanged != 2 || p.Summary.ChunksToEmbed != 0 || r.site.sent != 2 {
		t.Errorf("unchanged: %+v, %d bodies", p.Summary, r.site.sent)
	}
	r.site.page("/a", "Apples", "Apples grow in the valley.")
	if run := r.apply(api.ApplyRequest{}); run.Summary.Updated != 1 || run.Summary.Added+run.Summary.Removed != 0 {
		t.Errorf("changed: %+v", run.Summary)
	}
	r.finds("orchard")
	r.finds("valley", "/a")

	// Not now: nothing is removed, and it is said why.
	r.site.fail("/a", 503)
	p = r.plan()
	if got := r.actions(p); !strings.Contains(got["/a"], "unavailable: not available now: the server answers 503") || p.Summary.Removed != 0 {
		t.Errorf("%v", got)
	}
	r.site.fail("/b.php", 429, "Retry-After", "3600") // after it the whole server is left alone
	p = r.plan()
	if got := r.actions(p); !strings.Contains(got["/b.php"], "busy: its server asks to wait") || p.Summary.Removed != 0 {
		t.Errorf("%v", got)
	}
	if run := r.apply(api.ApplyRequest{}); run.Summary.Removed+run.Summary.Updated != 0 {
		t.Errorf("%+v", run.Summary)
	}
	r.finds("valley", "/a")
	r.finds("pears", "/b.php")
}

func TestPagesThatAreGone(t *testing.T) {
	r := newReader(t, Options{})
	for _, p := range []string{"/a", "/b", "/c"} {
		r.site.page(p, "Page "+p, "The page "+p[1:]+" tells of orchards.")
	}
	r.site.list("/a", "/b", "/c")
	r.add("/list.txt")
	r.apply(api.ApplyRequest{})
	r.site.fail("/a", 404)
	r.site.fail("/b", 410)
	r.site.list("/a", "/b") // and c is no longer named
	p := r.plan()
	want := map[string]string{
		"/a": "removed: page is gone", "/b": "removed: page is gone",
		"/c": "removed: page is no longer named by its source, or is excluded now",
	}
	if got := r.actions(p); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	r.site.page("/b", "Page b", "The page is back.") // since the plan
	run := r.apply(api.ApplyRequest{Plan: p.ID})
	if run.Summary.Removed != 2 || len(run.Summary.Skipped) != 1 {
		t.Errorf("%+v", run.Summary)
	}
	r.finds("orchards", "/b")

	// The list itself is gone: that says nothing about the page.
	for _, status := range []int{404, 410, 500, 403} {
		r.site.fail("/list.txt", status)
		p := r.plan()
		if p.Summary.Removed != 0 || p.Summary.Unavailable != 1 || p.Sources[0].State != "unavailable" {
			t.Errorf("%d: %+v", status, p)
		}
		if run := r.apply(api.ApplyRequest{}); run.Summary.Removed != 0 {
			t.Errorf("%d: %+v", status, run.Summary)
		}
	}
	r.finds("orchards", "/b")
	r.site.list("/b")
	if run := r.apply(api.ApplyRequest{}); run.Summary.Updated != 1 {
		t.Errorf("back again: %+v", run.Summary)
	}
	r.site.Close()
	if p := r.plan(); p.Summary.Removed != 0 || p.Summary.Unavailable != 1 {
		t.Errorf("without the site: %+v", p)
	}
	r.finds("back", "/b")
}

// An answer that is not complete and sound changes nothing that is stored.
func TestUnsoundAnswers(t *testing.T) {
	zipped := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.String()
	}
	r := newReader(t, Options{})
	r.site.page("/a", "Apples", "Apples grow in the orchard.")
	r.add("/a")
	r.apply(api.ApplyRequest{})
	whole := zipped("<!doctype html><p>Plums.</p>")
	for name, answer := range map[string]http.HandlerFunc{
		"truncated": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Length", "1000")
			_, _ = out.Write([]byte("<!doctype html><p>Plums.</p>"))
		},
		"truncated encoding": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Encoding", "gzip")
			_, _ = out.Write([]byte(whole[:len(whole)-4]))
		},
		"corrupt": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Encoding", "gzip")
			_, _ = out.Write([]byte(whole[:len(whole)-8] + "\x00\x00\x00\x00" + whole[len(whole)-4:]))
		},
		"stacked": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Encoding", "gzip, gzip")
			_, _ = out.Write([]byte(zipped(whole)))
		},
		"unknown": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Encoding", "rot13")
			_, _ = out.Write([]byte("Cyhzf."))
		},
		"redirected to this machine's network": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Location", "http://169.254.169.254/latest/")
			out.WriteHeader(http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.site.answer("/a", answer)
			p := r.plan()
			if p.Summary.Added+p.Summary.Updated+p.Summary.Removed != 0 || len(p.Actions) != 1 || p.Actions[0].Action != "failed" && p.Actions[0].Action != "unavailable" {
				t.Errorf("%+v", p.Actions)
			}
			r.apply(api.ApplyRequest{})
			r.finds("orchard", "/a")
			r.finds("plums")
			// What changes between a plan and its application is not applied.
			r.site.page("/a", "Apples", "Apples and quinces.")
			saved, err := r.Plan(t.Context(), api.PlanRequest{Save: true})
			if err != nil {
				t.Fatal(err)
			}
			r.site.answer("/a", answer)
			other := &reader{Library: newReader(t, Options{Library: r.folder}).Library, t: t, site: r.site}
			if run := other.apply(api.ApplyRequest{Saved: &saved}); run.Summary.Updated != 0 || len(run.Summary.Failed)+len(run.Summary.Skipped) != 1 {
				t.Errorf("%+v", run.Summary)
			}
			r.finds("orchard", "/a")
		})
	}
}

// A server reaches no private address, whatever the source says.
func TestPagesOfAServer(t *testing.T) {
	folder := t.TempDir()
	mine := newReader(t, Options{Library: folder})
	mine.site.page("/a", "Apples", "Apples grow in the orchard.")
	if _, err := mine.AddSource(t.Context(), api.AddSourceRequest{Path: mine.site.URL + "/a"}); err != nil {
		t.Fatal(err)
	}
	if p := mine.plan(); p.Summary.Added != 0 || !strings.Contains(p.Sources[0].Detail, "private network") || mine.site.sent != 0 {
		t.Errorf("without consent: %+v", p)
	}
	if _, err := mine.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: mine.site.URL + "/a"}); err != nil {
		t.Fatal(err)
	}
	mine.add("/a")
	mine.apply(api.ApplyRequest{})
	mine.finds("orchard", "/a")
	server := newReader(t, Options{Library: folder, Serving: true})
	if _, err := server.AddSource(t.Context(), api.AddSourceRequest{Path: server.site.URL + "/b", Private: true}); err == nil {
		t.Error("a server takes a source in private networks")
	}
	sent := mine.site.sent
	mine.site.page("/a", "Apples", "Changed.")
	if p := server.plan(); p.Summary.Unavailable != 1 || mine.site.sent != sent {
		t.Errorf("%+v", p)
	}
}
