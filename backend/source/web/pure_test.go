package web

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ibid/backend/corpus"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"https://example.org", "https://example.org/"},
		{"HTTPS://Example.ORG:443/a", "https://example.org/a"},
		{"http://example.org:80/", "http://example.org/"},
		{"http://example.org:8080/", "http://example.org:8080/"},
		{"https://example.org./", "https://example.org/"},
		{"https://example.org/a/./b/../c", "https://example.org/a/c"},
		{"https://example.org/a/..", "https://example.org/"},
		{"https://example.org/../../a/", "https://example.org/a/"},
		{"https://example.org/a//b", "https://example.org/a//b"},
		{"https://example.org/%7euser/%e4%bd%a0", "https://example.org/~user/%E4%BD%A0"},
		{"https://example.org/你", "https://example.org/%E4%BD%A0"},
		{"https://example.org/a%2Fb", "https://example.org/a%2Fb"},
		{"https://example.org/a b", "https://example.org/a%20b"},
		{"https://example.org/a?b=2&a=1#part", "https://example.org/a?b=2&a=1"},
		{"https://example.org/a?", "https://example.org/a"},
		{"https://example.org/?q=ä", "https://example.org/?q=%C3%A4"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/"},
		{" https://example.org/ ", "https://example.org/"},
		{"http://[::1]:80/", "http://[::1]/"},
		{"http://[::ffff:127.0.0.1]/", "http://127.0.0.1/"},
		{"https://example.org/%ff", "https://example.org/%FF"},
	} {
		got, err := Normalize(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%q: %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{
		"", "example.org", "ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///a",
		"https://user@example.org/", "https://user:secret@example.org/", "mailto:a@example.org", "https:example.org",
		"https://exa mple.org/", "https://example.org/\x00", "https://example.org/" + strings.Repeat("a", maxAddress),
		"https://example.org:99999999/", "http://[fe80::1%25eth0]/", "https://[/", "https://example.org/%zz",
	} {
		got, err := Normalize(in)
		if !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%q: %q, %v; want it refused", in, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error repeats the password: %v", in, err)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"https://example.org/a/../%7e?b#c", "http://[::1]:80", "https://bücher.example/ä?ö", "https://a@b/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := Normalize(s)
		if err != nil {
			return
		}
		if twice, err := Normalize(once); err != nil || twice != once {
			t.Fatalf("%q: %q, then %q, %v", s, once, twice, err)
		}
		u, err := url.Parse(once)
		if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" || !ascii(once) {
			t.Fatalf("%q: %q: %v", s, once, err)
		}
	})
}

func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		ip              string
		public, private bool // whether it may be reached
	}{
		{"93.184.216.34", true, true},
		{"2606:2800:220:1::1", true, true},
		{"127.0.0.1", false, true},
		{"127.8.9.1", false, true},
		{"::1", false, true},
		{"::ffff:127.0.0.1", false, true},
		{"10.1.2.3", false, true},
		{"172.16.0.1", false, true},
		{"172.32.0.1", true, true},
		{"192.168.1.1", false, true},
		{"100.64.0.1", false, true},
		{"100.100.100.200", false, true}, // metadata of one provider, but inside shared address space
		{"fd00:ec2::254", false, true},
		{"169.254.169.254", false, false},
		{"::ffff:169.254.169.254", false, false},
		{"fe80::1", false, false},
		{"0.0.0.0", false, false},
		{"0.1.2.3", false, false},
		{"::", false, false},
		{"224.0.0.1", false, false},
		{"255.255.255.255", false, false},
		{"192.0.2.1", false, false},
		{"198.18.0.1", false, false},
		{"2001:db8::1", false, false},
		{"2002:7f00:1::", false, false},
		{"64:ff9b::5db8:d822", true, true},
		{"64:ff9b::7f00:1", false, true},
		{"64:ff9b::a9fe:a9fe", false, false},
		{"64:ff9b:1::1", false, false},
		{"fec0::1", false, false},
		{"::7f00:1", false, false},
	} {
		ip := netip.MustParseAddr(tt.ip)
		if got := refusal(ip, false) == ""; got != tt.public {
			t.Errorf("%s: reached by others %v, want %v", tt.ip, got, tt.public)
		}
		if got := refusal(ip, true) == ""; got != tt.private {
			t.Errorf("%s: reached with consent %v, want %v", tt.ip, got, tt.private)
		}
	}
}

func TestRobots(t *testing.T) {
	const groups = "User-agent: other\nDisallow: /\n\nUser-agent: ibid\nUser-agent: more\nDisallow: /private\nAllow: /private/shown\nCrawl-delay: 2\n\n" +
		"User-agent: *\nDisallow: /all\n\nuser-agent: IBID/2.0\ndisallow: /second # comment\n"
	for _, tt := range []struct {
		name, text, path string
		allowed          bool
	}{
		{"none", "", "/a", true},
		{"own group", groups, "/private/a", false},
		{"longer rule allows", groups, "/private/shown/a", true},
		{"groups of one name are one", groups, "/second", false},
		{"not the group for all", groups, "/all", true},
		{"group for all", "User-agent: *\nDisallow: /", "/a", false},
		{"robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true},
		{"nothing disallowed", "User-agent: *\nDisallow:", "/a", true},
		{"rule before any group", "Disallow: /\nUser-agent: *\nAllow: /", "/a", true},
		{"star", "User-agent: *\nDisallow: /*.pdf", "/a/b.pdf?x", false},
		{"star and end", "User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", true},
		{"end", "User-agent: *\nDisallow: /a$", "/ab", true},
		{"end met", "User-agent: *\nDisallow: /a$", "/a", false},
		{"equal length", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true},
		{"escapes", "User-agent: *\nDisallow: /%7eann/ä", "/~ann/%c3%a4", false},
		{"query", "User-agent: *\nDisallow: /*?page=", "/a?page=2", false},
		{"CR only between lines", "User-agent: *\r\nDisallow: /a\r\n", "/a", false},
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /a", "/a", false},
		{"prefix of a name", "User-agent: ibidem\nDisallow: /", "/a", true},
	} {
		u, err := url.Parse("https://example.org" + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := parseRobots(tt.text).allows(u); got != tt.allowed {
			t.Errorf("%s: allowed %v, want %v", tt.name, got, tt.allowed)
		}
	}
	if got := parseRobots(groups).delay; got != 2*time.Second {
		t.Errorf("delay %v", got)
	}
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /*a*b$\nAllow: /", "/xaxb")
	f.Fuzz(func(t *testing.T, text, path string) {
		u, err := url.Parse("https://example.org/" + path)
		if err != nil {
			return
		}
		parseRobots(text).allows(u)
		if !parseRobots("User-agent: *\nDisallow: /\nDisallow: " + strings.ReplaceAll(path, "\n", "")).allows(&url.URL{Path: "/robots.txt"}) {
			t.Error("robots.txt is not allowed")
		}
	})
}

// encode is decode's other side, at the standard settings of each library.
func encode(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, err = flate.NewWriter(&b, flate.DefaultCompression)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b)
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	text := []byte(strings.Repeat("The orchard has apples and pears. ", 200))
	for _, name := range []string{"gzip", "deflate", "raw", "br", "zstd"} {
		t.Run(name, func(t *testing.T) {
			coding := name
			if name == "raw" {
				coding = "deflate"
			}
			data := encode(t, name, text)
			got, err := decode(coding, data, int64(len(text)))
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			for n := range data {
				if got, err := decode(coding, data[:n], 1<<20); err == nil {
					t.Fatalf("the first %d of %d bytes pass as a whole of %d", n, len(data), len(got))
				}
			}
			for _, more := range []string{"x", "more than an answer", "\x00\x00\x00\x00"} {
				if _, err := decode(coding, append(bytes.Clone(data), more...), 1<<20); err == nil {
					t.Errorf("%q after the end passes", more)
				}
			}
			if _, err := decode(coding, data, int64(len(text))-1); !errors.Is(err, corpus.ErrLimit) {
				t.Errorf("a byte above the limit: %v", err)
			}
			if _, err := decode(coding, nil, 1<<20); !errors.Is(err, errIncomplete) {
				t.Errorf("nothing at all: %v", err)
			}
			if name == "gzip" || name == "deflate" || name == "zstd" { // the others have no checksum
				for i := range data {
					damaged := bytes.Clone(data)
					damaged[i] ^= 0x10
					got, err := decode(coding, damaged, 1<<20)
					if err == nil && !bytes.Equal(got, text) {
						t.Errorf("byte %d damaged: another text passes", i)
					}
				}
			}
		})
	}
}

func TestCoding(t *testing.T) {
	for _, tt := range []struct {
		fields []string
		want   string
		fails  bool
	}{
		{nil, "", false},
		{[]string{"identity"}, "", false},
		{[]string{""}, "", false},
		{[]string{" GZIP "}, "gzip", false},
		{[]string{"x-gzip"}, "gzip", false},
		{[]string{"identity, br"}, "br", false},
		{[]string{"gzip, br"}, "", true},
		{[]string{"gzip", "gzip"}, "", true},
		{[]string{"compress"}, "", true},
		{[]string{"dcz"}, "", true},
	} {
		got, err := coding(tt.fields)
		if got != tt.want || errors.Is(err, corpus.ErrUnsupported) != tt.fails {
			t.Errorf("%q: %q, %v", tt.fields, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"gzip", "deflate", "raw", "br", "zstd"} {
		data := encode(f, name, []byte("some text, some text"))
		for i := range 4 {
			f.Add(uint8(i), data)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		const limit = 1 << 16
		got, err := decode([]string{"gzip", "deflate", "br", "zstd"}[which%4], data, limit)
		if err == nil && len(got) > limit {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func TestReadable(t *testing.T) {
	for _, tt := range []struct{ body, contentType, want string }{
		{"caf\xe9", "text/html; charset=ISO-8859-1", "\ufeffcafé"},
		{"\xcf\xf0\xe8\xe2\xe5\xf2", `text/plain; charset="windows-1251"`, "\ufeffПривет"},
		{"\x93\xfa\x96{", "application/xhtml+xml; charset=shift_jis", "\ufeff日本"},
		{"café", "text/html; charset=iso-8859-1", "café"}, // the header is wrong
		{"caf\xe9", "text/html", "caf\xe9"},
		{"caf\xe9", "text/html; charset=utf-8", "caf\xe9"},
		{"caf\xe9", "text/html; charset=none", "caf\xe9"},
		{"caf\xe9", "text/html; charset", "caf\xe9"},
		{"%PDF\xe9", "application/pdf; charset=iso-8859-1", "%PDF\xe9"},
	} {
		if got := string(readable([]byte(tt.body), tt.contentType)); got != tt.want {
			t.Errorf("%q as %q: %q, want %q", tt.body, tt.contentType, got, tt.want)
		}
	}
}

func TestListings(t *testing.T) {
	const set = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<!-- made today --><url><loc> https://example.org/a?x=1&amp;y=2 </loc><lastmod>2024-01-01</lastmod>
<image:image><image:loc>https://example.org/a.png</image:loc></image:image></url>
<url><loc><![CDATA[https://example.org/]]>b<!-- c --></loc></url><url><loc></loc></url></urlset>`
	const index = `<sitemapindex><sitemap><loc>https://example.org/s.xml.gz</loc></sitemap></sitemapindex>`
	const list = "\ufeff# pages\nhttps://example.org/a\r\n\n  HTTP://example.org/b  \n"
	for _, tt := range []struct {
		name, data string
		want       shape
	}{
		{"sitemap", set, shapeSitemap},
		{"index", index, shapeSitemap},
		{"list", list, shapeList},
		{"feed", "<rss><channel/></rss>", shapePage},
		{"page", "<!doctype html><urlset>", shapePage},
		{"text", "https://example.org/a\nand more", shapePage},
		{"nothing", "", shapePage},
		{"only a comment", "# nothing", shapePage},
	} {
		if got := shapeOf([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	got, err := parseSitemap([]byte(set))
	if diff := cmp.Diff([]string{"https://example.org/a?x=1&y=2", "https://example.org/b"}, got.pages); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	got, err = parseSitemap([]byte(index))
	if diff := cmp.Diff([]string{"https://example.org/s.xml.gz"}, got.sitemaps); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	pages, err := parseList(list)
	if diff := cmp.Diff([]string{"https://example.org/a", "HTTP://example.org/b"}, pages); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for name, data := range map[string]string{
		"cut off": set[:len(set)-20], "bomb": `<!DOCTYPE a [<!ENTITY b "c">]><urlset><url><loc>&b;</loc></url></urlset>`,
		"deep": strings.Repeat("<a>", 20),
	} {
		if got, err := parseSitemap([]byte(data)); err == nil {
			t.Errorf("%s: %q passes", name, got.pages)
		}
	}
	if _, err := parseList("https://example.org/\nfile:///etc/passwd\n"); !errors.Is(err, corpus.ErrInvalid) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is no address: %v", err)
	}
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>https://example.org/</loc></url></urlset>`))
	f.Add([]byte("https://example.org/\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		is := shapeOf(data)
		l, err := parseSitemap(data)
		if err == nil && len(l.pages) > maxAddresses {
			t.Errorf("%d pages", len(l.pages))
		}
		if is == shapeList {
			if _, err := parseList(string(data)); err != nil && len(data) < 1<<20 {
				t.Errorf("a list that is none: %v", err)
			}
		}
	})
}
