package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/plan"
)

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
