package web

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
