package web

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

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
