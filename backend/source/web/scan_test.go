package web

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

const (
	longAgo = "Last-Modified: Mon, 01 Jan 2024 10:00:00 GMT"
	apples  = "Apples grow in the orchard."
)

// A single page: fetched once, then asked for with its validators.
func TestUnchangedPage(t *testing.T) {
	for name, fields := range map[string][]string{
		"etag": {`ETag: "v1"`}, "weak etag": {`ETag: W/"v1"`}, "date": {longAgo}, "both": {longAgo, `ETag: "v1"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "/page")
			s.serve("/page", text(apples, fields...))
			first := s.entry(s.scan(), "/page")
			if first.Content != corpus.HashBytes([]byte(apples)) || first.Fingerprint.Size != int64(len(apples)) {
				t.Fatalf("%+v", first)
			}
			if s.source.Mark != string(shapePage) {
				t.Errorf("mark %q", s.source.Mark)
			}
			s.pass()
			second := s.entry(s.scan(), "/page")
			if !second.Content.IsZero() || second.Fingerprint != first.Fingerprint {
				t.Errorf("unchanged, but %+v, then %+v", first, second)
			}
			s.serve("/page", text("Pears.", `ETag: "v2"`, "Last-Modified: Tue, 02 Jan 2024 10:00:00 GMT"))
			s.pass()
			if third := s.entry(s.scan(), "/page"); third.Content != corpus.HashBytes([]byte("Pears.")) {
				t.Errorf("changed, but %+v", third)
			}
		})
	}
}

// A date that is as young as the answer proves nothing (A4).
func TestYoungDate(t *testing.T) {
	s := newSite(t, "/page")
	date := "Last-Modified: " + s.now.UTC().Format(http.TimeFormat)
	s.serve("/page", text(apples, date))
	s.scan()
	s.serve("/page", text("Pears.", date))
	s.pass()
	if e := s.entry(s.scan(), "/page"); e.Content != corpus.HashBytes([]byte("Pears.")) {
		t.Errorf("a change in the same second is not seen: %+v", e)
	}
}

// Bodies in each coding are the documents; nothing that is incomplete is one.
func TestEncodings(t *testing.T) {
	body := []byte(strings.Repeat(apples, 50))
	raw := func(data []byte, fields ...string) http.HandlerFunc { return text(string(data), fields...) }
	hijack := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			_, _ = buf.WriteString(answer)
			_ = buf.Flush()
			_ = conn.Close()
		}
	}
	zipped := encode(t, "gzip", body)
	damaged := bytes.Clone(zipped)
	damaged[len(damaged)-6] ^= 1 // in the checksum
	for _, tt := range []struct {
		name    string
		answer  http.HandlerFunc
		problem plan.Problem
		detail  string
	}{
		{"plain", raw(body), plan.NoProblem, ""},
		{"gzip", raw(zipped, "Content-Encoding: gzip"), plan.NoProblem, ""},
		{"deflate", raw(encode(t, "deflate", body), "Content-Encoding: deflate"), plan.NoProblem, ""},
		{"raw deflate", raw(encode(t, "raw", body), "Content-Encoding: deflate"), plan.NoProblem, ""},
		{"br", raw(encode(t, "br", body), "Content-Encoding: br"), plan.NoProblem, ""},
		{"zstd", raw(encode(t, "zstd", body), "Content-Encoding: zstd"), plan.NoProblem, ""},
		{"stacked", raw(zipped, "Content-Encoding: gzip, gzip"), plan.ProblemFailed, "more than once"},
		{"unknown", raw(zipped, "Content-Encoding: compress"), plan.ProblemFailed, `"compress"`},
		{"damaged", raw(damaged, "Content-Encoding: gzip"), plan.ProblemFailed, "damaged"},
		{"not encoded at all", raw(body, "Content-Encoding: gzip"), plan.ProblemFailed, "damaged"},
		{"encoding cut short", raw(zipped[:len(zipped)-3], "Content-Encoding: gzip"), plan.ProblemFailed, "cut short"},
		{"shorter than announced", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nApples"), plan.ProblemOffline, "cut short"},
		{"chunks cut short", hijack("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nApples\r\n"), plan.ProblemOffline, "cut short"},
		{"length unknown", hijack("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nApples"), plan.ProblemFailed, "how long"},
		{"length unknown, but encoded", hijack("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n" + string(zipped)), plan.NoProblem, ""},
		{"no answer", hijack(""), plan.ProblemOffline, ""},
		{"nothing", raw(nil), plan.ProblemOffline, "empty page"},
		{"nothing, encoded", raw(encode(t, "gzip", nil), "Content-Encoding: gzip"), plan.ProblemOffline, "empty page"},
		{"a part", status(http.StatusPartialContent), plan.ProblemFailed, "206"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "/list")
			s.list("/page")
			s.serve("/page", tt.answer)
			e := s.entry(s.scan(), "/page")
			if e.Problem != tt.problem || !strings.Contains(e.Detail, tt.detail) {
				t.Fatalf("%q: %s", e.Problem, e.Detail)
			}
			data, _, err := s.pages.Read(t.Context(), s.source, s.URL+"/page")
			if tt.problem == plan.NoProblem && (err != nil || e.Content != corpus.HashBytes(body) || !bytes.Equal(data, body)) {
				t.Errorf("read: %d bytes, %v", len(data), err)
			}
			if tt.problem != plan.NoProblem && err == nil {
				t.Errorf("read: %q passes", data)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := newSite(t, "/list")
	s.pages.limits.bytes, s.pages.limits.decoded = 100, 1000
	s.list("/announced", "/endless", "/bomb", "/fits")
	s.serve("/announced", text(strings.Repeat("a", 101)))
	s.serve("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64)); err != nil {
				return
			}
		}
	})
	s.serve("/bomb", text(string(encode(t, "gzip", make([]byte, 1001))), "Content-Encoding: gzip"))
	s.serve("/fits", text(string(encode(t, "gzip", make([]byte, 1000))), "Content-Encoding: gzip"))
	s.pages.limits.bytes = 200 // the list
	scan := s.scan()
	for _, path := range []string{"/endless", "/bomb"} {
		if e := s.entry(scan, path); e.Problem != plan.ProblemFailed || !strings.Contains(e.Detail, "limit") {
			t.Errorf("%s: %q %s", path, e.Problem, e.Detail)
		}
	}
	if e := s.entry(scan, "/fits"); e.Problem != plan.NoProblem {
		t.Errorf("at the limit: %s", e.Detail)
	}
	s.pages.limits.bytes = 100
	if _, _, err := s.pages.Read(t.Context(), s.source, s.URL+"/announced"); err != nil {
		t.Errorf("kept from the look: %v", err)
	}
	s.pass()
	if _, _, err := s.pages.Read(t.Context(), s.source, s.URL+"/announced"); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/stuck")
	s.serve("/stuck", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("a"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	s.pages.limits.wait = 50 * time.Millisecond
	scan := s.look("", s.URL+"/stuck")
	if e := s.entry(scan, "/stuck"); e.Problem != plan.ProblemOffline || !strings.Contains(e.Detail, "did not answer within") {
		t.Errorf("%q %s", e.Problem, e.Detail)
	}
	s.pages.limits.wait = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	s.serve("/stuck", func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, err := s.pages.Scan(ctx, s.source, []string{""}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What a status means for a page: gone, not now, or not to be had.
func TestStatus(t *testing.T) {
	s := newSite(t, "/list")
	problems := map[string]plan.Problem{}
	for _, tt := range []struct {
		code    int
		problem plan.Problem
	}{
		{400, plan.ProblemFailed},
		{401, plan.ProblemFailed},
		{403, plan.ProblemFailed},
		{408, plan.ProblemOffline},
		{451, plan.ProblemFailed},
		{500, plan.ProblemOffline},
		{503, plan.ProblemOffline},
		{204, plan.ProblemFailed},
		{304, plan.ProblemFailed}, // nobody asked
	} {
		path := "/" + strconv.Itoa(tt.code)
		s.serve(path, status(tt.code))
		problems[path] = tt.problem
	}
	s.serve("/gone", status(http.StatusGone))
	paths := []string{"/missing", "/gone"}
	for p := range problems {
		paths = append(paths, p)
	}
	s.list(paths...)
	scan := s.scan()
	if len(scan.Entries) != len(problems) || scan.Empty || scan.Unavailable != "" {
		t.Errorf("%d entries, want %d", len(scan.Entries), len(problems))
	}
	for path, want := range problems {
		if e := s.entry(scan, path); e.Problem != want || !strings.Contains(e.Detail, path[1:]) {
			t.Errorf("%s: %q %s, want %q", path, e.Problem, e.Detail, want)
		}
	}
	if covered, _ := scan.Coverage.Covers(s.URL + "/gone"); !covered {
		t.Error("a page that is gone was not completely seen")
	}
	if _, _, err := s.pages.Read(t.Context(), s.source, s.URL+"/gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read: %v", err)
	}
	if there, err := s.pages.Exists(t.Context(), s.source, s.URL+"/gone"); there || err != nil {
		t.Errorf("exists: %v, %v", there, err)
	}
	if _, err := s.pages.Exists(t.Context(), s.source, s.URL+"/500"); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("exists, where nobody knows: %v", err)
	}
}

// The root of a source: a page that is gone is, a sitemap that is gone says
// nothing about its pages.
func TestRootGone(t *testing.T) {
	s := newSite(t, "/page")
	s.serve("/page", text(apples))
	s.scan()
	s.serve("/page", nil)
	s.pass()
	if scan := s.look(""); scan.Unavailable != "" || len(scan.Entries) != 0 || scan.Empty {
		t.Errorf("page: %+v", scan)
	}
	s = newSite(t, "/list")
	s.list("/a")
	s.serve("/a", text(apples))
	s.scan()
	for code, answer := range map[string]http.HandlerFunc{
		"404": nil, "500": status(500), "no longer": text("<!doctype html><p>We moved.</p>"), "a sitemap": text("<urlset></urlset>"),
	} {
		s.serve("/list", answer)
		s.pass()
		if scan := s.look(""); scan.Unavailable == "" || len(scan.Entries) != 0 || !strings.Contains(scan.Unavailable, strings.TrimPrefix(code, "a sitemap")) {
			t.Errorf("list, %s: %q, %d entries", code, scan.Unavailable, len(scan.Entries))
		}
	}
	s = newSite(t, "/new")
	if scan := s.look(""); scan.Unavailable == "" {
		t.Error("a root that never was there is no reason to remove")
	}
}

func TestSitemap(t *testing.T) {
	s := newSite(t, "/sitemap.xml")
	loc := func(element string, paths ...string) string {
		var b strings.Builder
		for _, p := range paths {
			b.WriteString("<" + element + "><loc>" + s.URL + p + "</loc></" + element + ">")
		}
		return b.String()
	}
	s.serve("/sitemap.xml", text("<sitemapindex>"+loc("sitemap", "/one.xml", "/two.xml.gz")+"</sitemapindex>"))
	s.serve("/one.xml", text("<urlset>"+loc("url", "/a", "/b#x", "/b")+"</urlset>"))
	s.serve("/two.xml.gz", text(string(encode(t, "gzip", []byte("<urlset>"+loc("url", "/c")+"</urlset>"))), "Content-Type: application/gzip"))
	for _, p := range []string{"/a", "/b", "/c"} {
		s.serve(p, text(p, `ETag: "1"`))
	}
	paths := func(scan plan.Scan) (list []string) {
		for _, e := range scan.Entries {
			list = append(list, strings.TrimPrefix(e.Path, s.URL))
		}
		return list
	}
	if diff := cmp.Diff([]string{"/a", "/b", "/c"}, paths(s.scan())); diff != "" {
		t.Fatal(diff)
	}
	// A part that does not answer: its pages are not missing, those of others are seen.
	s.serve("/two.xml.gz", status(500))
	s.serve("/one.xml", text("<urlset>"+loc("url", "/a")+"</urlset>"))
	s.pass()
	scan := s.look("")
	if diff := cmp.Diff([]string{"/a"}, paths(scan)); diff != "" || scan.Unavailable != "" {
		t.Error(scan.Unavailable, diff)
	}
	for _, p := range []string{"/b", "/c"} {
		if covered, hole := scan.Coverage.Covers(s.URL + p); covered || !strings.Contains(hole, "two.xml.gz") {
			t.Errorf("%s is missing: %v, %q", p, covered, hole)
		}
	}
	// An index in an index, and what is no sitemap, are holes as well.
	s.serve("/two.xml.gz", text("<sitemapindex></sitemapindex>"))
	s.pass()
	if scan := s.look(""); scan.Coverage.Holes[""] == "" {
		t.Error("an index in an index was read as nothing")
	}
	// An empty sitemap is suspect as a whole.
	s.serve("/sitemap.xml", text("<urlset></urlset>"))
	s.pass()
	if scan := s.look(""); !scan.Empty || scan.Unavailable != "" {
		t.Errorf("%+v", scan)
	}
}

func TestListOnDisk(t *testing.T) {
	s := newSite(t, "/")
	s.serve("/a", text(apples))
	file := filepath.Join(t.TempDir(), "pages.txt")
	s.source.Root = file
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if scan := s.look(""); !strings.Contains(scan.Unavailable, "does not exist") {
		t.Errorf("no list: %q", scan.Unavailable)
	}
	write(s.URL + "/a\nhttps://user:secret@example.org/\n")
	scan := s.scan()
	if e := s.entry(scan, "/a"); e.Problem != plan.NoProblem {
		t.Error(e.Detail)
	}
	i := slices.IndexFunc(scan.Entries, func(e plan.Entry) bool { return e.Problem == plan.ProblemFailed })
	if i < 0 || strings.Contains(scan.Entries[i].Path+scan.Entries[i].Detail, "secret") || !strings.Contains(scan.Entries[i].Detail, "credentials") {
		t.Errorf("an address with a password: %+v", scan.Entries)
	}
	write("no address\n")
	if scan := s.look(""); !strings.Contains(scan.Unavailable, "line 1") {
		t.Errorf("no list: %q", scan.Unavailable)
	}
}

func TestRedirects(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/old", "/loop", "/away", "/file", "/password")
	to := func(target string) http.HandlerFunc { return status(http.StatusMovedPermanently, "Location: "+target) }
	s.serve("/old", to("/middle"))
	s.serve("/middle", status(http.StatusTemporaryRedirect, "Location: new?x"))
	s.serve("/new", text(apples, `ETag: "1"`))
	s.serve("/loop", to("/loop"))
	s.serve("/away", to("http://169.254.169.254/latest/meta-data/"))
	s.serve("/file", to("file:///etc/passwd"))
	s.serve("/password", to("http://a:b@"+strings.TrimPrefix(s.URL, "http://")+"/new"))
	scan := s.scan()
	e := s.entry(scan, "/old")
	if e.Problem != plan.NoProblem || e.Fingerprint.Final != s.URL+"/new?x" {
		t.Errorf("%+v", e)
	}
	for path, detail := range map[string]string{
		"/loop": "redirects", "/away": "link-local", "/file": "no web address", "/password": "no web address",
	} {
		if e := s.entry(scan, path); e.Problem != plan.ProblemFailed || !strings.Contains(e.Detail, detail) {
			t.Errorf("%s: %q %s", path, e.Problem, e.Detail)
		}
	}
	s.pass()
	if again := s.entry(s.scan(), "/old"); !again.Content.IsZero() || again.Fingerprint != e.Fingerprint {
		t.Errorf("unchanged behind a redirect: %+v", again)
	}
	// Another target with the same tag is another page.
	s.serve("/middle", to("/other"))
	s.serve("/other", text("Pears.", `ETag: "1"`))
	s.pass()
	if e := s.entry(s.scan(), "/old"); e.Content != corpus.HashBytes([]byte("Pears.")) || e.Fingerprint.Final != s.URL+"/other" {
		t.Errorf("redirected elsewhere: %+v", e)
	}
}

// This machine is reached only by sources that allow it, and by none where
// others are served.
func TestPrivateAddresses(t *testing.T) {
	s := newSite(t, "/page")
	s.serve("/page", text(apples))
	s.serve("/list", text(s.URL+"/page\n"))
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	s.scan()
	s.source.Private = false
	for _, root := range []string{s.URL + "/page", "http://localhost:" + port + "/page", "http://[::ffff:127.0.0.1]:" + port + "/page"} {
		s.source.Root, s.source.Mark = root, ""
		s.pass()
		if scan := s.look(""); !strings.Contains(scan.Unavailable, "private network") || len(s.asked) > 0 {
			t.Errorf("%s: %q, %d requests", root, scan.Unavailable, len(s.asked))
		}
		if data, _, err := s.pages.Read(t.Context(), s.source, root); !errors.Is(err, errRefused) {
			t.Errorf("%s: read %q, %v", root, data, err)
		}
	}
	s.source.Private, s.pages.Private = true, false // as a server
	if err := s.pages.Check(s.source); !errors.Is(err, corpus.ErrUnsupported) {
		t.Errorf("check: %v", err)
	}
	if scan := s.look(""); !strings.Contains(scan.Unavailable, "server refuses") || len(s.asked) > 0 {
		t.Errorf("%q, %d requests", scan.Unavailable, len(s.asked))
	}
	if _, _, err := s.pages.Read(t.Context(), s.source, s.source.Root); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.pages.Exists(t.Context(), s.source, s.source.Root); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("exists: %v", err)
	}
}

// robots.txt is fetched once a host, obeyed, and in doubt forbids.
func TestRobotsObeyed(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/open", "/closed", "/door")
	s.serve("/open", text(apples))
	s.serve("/closed", text("secret"))
	s.serve("/door", status(http.StatusFound, "Location: /closed"))
	s.serve("/robots.txt", text("User-agent: ibid\nDisallow: /closed\n"))
	scan := s.scan()
	for path, want := range map[string]plan.Problem{"/open": plan.NoProblem, "/closed": plan.ProblemFailed, "/door": plan.ProblemFailed} {
		if e := s.entry(scan, path); e.Problem != want || want != "" && !strings.Contains(e.Detail, "robots.txt") {
			t.Errorf("%s: %q %s", path, e.Problem, e.Detail)
		}
	}
	asked := s.requests()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/door", "/list", "/open"}, asked); diff != "" {
		t.Error(diff)
	}
	if n := len(s.asked) - len(asked); n != 1 {
		t.Errorf("robots.txt was asked for %d times", n)
	}
	for _, r := range s.asked {
		if !strings.HasPrefix(r.UserAgent(), "ibid/test ") || r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "" {
			t.Errorf("%s: %v", r.URL, r.Header)
		}
	}
	s.serve("/robots.txt", status(500))
	s.mu.Lock()
	s.now = s.now.Add(robotsLife + time.Second)
	s.mu.Unlock()
	if scan := s.look(""); !strings.Contains(scan.Unavailable, "robots.txt") || len(s.requests()) > 0 {
		t.Errorf("%q, %q", scan.Unavailable, s.requests())
	}
	// Without an answer it is asked for again soon, but not for each page.
	s.serve("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	})
	s.mu.Lock()
	s.now = s.now.Add(robotsRetry + time.Second)
	s.mu.Unlock()
	if s.look(""); len(s.asked) == 0 {
		t.Error("robots.txt was not asked for again")
	}
	if scan := s.look(""); scan.Unavailable == "" || len(s.asked) > 0 {
		t.Errorf("%q, %d requests", scan.Unavailable, len(s.asked))
	}
	s.serve("/robots.txt", nil)
	s.mu.Lock()
	s.now = s.now.Add(unreachedTime + time.Second)
	s.mu.Unlock()
	if e := s.entry(s.scan(), "/closed"); e.Problem != plan.NoProblem {
		t.Errorf("without robots.txt: %s", e.Detail)
	}
}

// A server that asks to wait is waited for, and left alone if that takes long.
func TestWaiting(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/busy", "/other")
	s.serve("/other", text(apples))
	times := 0
	s.serve("/busy", func(w http.ResponseWriter, r *http.Request) {
		if times++; times == 1 {
			status(http.StatusServiceUnavailable, "Retry-After: 7")(w, r)
			return
		}
		text(apples)(w, r)
	})
	if e := s.entry(s.scan(), "/busy"); e.Problem != plan.NoProblem || times != 2 || s.slept < 7*time.Second {
		t.Errorf("%q after %d requests and %v", e.Detail, times, s.slept)
	}
	s.serve("/busy", status(http.StatusTooManyRequests, "Retry-After: 3600"))
	s.pass()
	scan := s.look(s.URL + "/busy")
	if e := s.entry(scan, "/busy"); e.Problem != plan.ProblemBusy || !strings.Contains(e.Detail, "429") {
		t.Errorf("%q %s", e.Problem, e.Detail)
	}
	scan = s.look(s.URL+"/busy", s.URL+"/other")
	if e := s.entry(scan, "/other"); e.Problem != plan.ProblemBusy || len(s.asked) != 0 {
		t.Errorf("asked again %d times: %q %s", len(s.asked), e.Problem, e.Detail)
	}
	s.mu.Lock()
	s.now = s.now.Add(time.Hour)
	s.mu.Unlock()
	if e := s.entry(s.look(s.URL+"/other"), "/other"); e.Problem != plan.NoProblem {
		t.Errorf("an hour later: %q %s", e.Problem, e.Detail)
	}
}

func TestCrawlDelay(t *testing.T) {
	s := newSite(t, "/list")
	s.serve("/robots.txt", text("User-agent: *\nCrawl-delay: 3"))
	s.list("/a", "/b", "/c")
	for _, p := range []string{"/a", "/b", "/c"} {
		s.serve(p, text(p))
	}
	s.scan()
	if s.slept < 3*3*time.Second {
		t.Errorf("four requests within %v", s.slept)
	}
}

// A page is a document of one source, with the globs of that.
func TestOwnership(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/docs/a.html", "/docs/old/b.html", "/blog/c.html", "/docs/d.html", "/docs/e.html")
	for _, p := range []string{"/docs/a.html", "/docs/old/b.html", "/blog/c.html", "/docs/d.html", "/docs/e.html"} {
		s.serve(p, text(p))
	}
	s.source.Include, s.source.Exclude = []string{"docs/**"}, []string{"old"}
	earlier, page := corpus.NewID(), corpus.NewID()
	s.others = []corpus.Source{
		{ID: earlier, Kind: corpus.SourceURL, Root: "https://example.org/s.xml", Mark: string(shapeSitemap), CreatedAt: s.now.Add(-time.Hour)},
		{ID: page, Kind: corpus.SourceURL, Root: s.URL + "/docs/e.html", CreatedAt: s.now.Add(-time.Hour)},
		{ID: corpus.NewID(), Kind: corpus.SourceURL, Root: s.URL + "/docs/a.html", CreatedAt: s.now.Add(time.Hour)},
	}
	s.known[earlier] = map[string]corpus.Fingerprint{s.URL + "/docs/d.html": {}}
	s.known[page] = map[string]corpus.Fingerprint{}
	scan := s.scan()
	if len(scan.Entries) != 1 || scan.Entries[0].Path != s.URL+"/docs/a.html" {
		t.Errorf("%+v", scan.Entries)
	}
}

// Some places are looked at with all below them, and nothing else is.
func TestPlaces(t *testing.T) {
	s := newSite(t, "/list")
	s.list("/a", "/a/b", "/ab", "/c")
	for _, p := range []string{"/a", "/a/b", "/ab", "/c"} {
		s.serve(p, text(p))
	}
	s.scan()
	s.serve("/a", nil)
	scan := s.look(s.URL + "/a")
	if diff := cmp.Diff([]string{"/a", "/a/b"}, slices.Sorted(slices.Values(s.requests()))); diff != "" {
		t.Error(diff)
	}
	if len(scan.Entries) != 1 || scan.Entries[0].Path != s.URL+"/a/b" {
		t.Errorf("%+v", scan.Entries)
	}
	for path, want := range map[string]bool{"/a": true, "/ab": false, "/c": false} {
		if covered, _ := scan.Coverage.Covers(s.URL + path); covered != want {
			t.Errorf("%s covered: %v", path, covered)
		}
	}
}

func TestCheck(t *testing.T) {
	s := newSite(t, "/")
	for _, change := range []func(*corpus.Source){
		func(s *corpus.Source) { s.Root = "https://Example.org" },
		func(s *corpus.Source) { s.Root = "ftp://example.org/" },
		func(s *corpus.Source) { s.Include = []string{"[a"} },
	} {
		changed := s.source
		change(&changed)
		if err := s.pages.Check(changed); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%+v: %v", changed, err)
		}
	}
	if err := s.pages.Check(s.source); err != nil {
		t.Error(err)
	}
}
