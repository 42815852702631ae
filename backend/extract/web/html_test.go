package web

import (
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

const prosePage = `<p>A paragraph that is long enough to be taken for prose, as it says something in several words.</p>`

func TestHTMLGolden(t *testing.T) {
	pages := map[string]string{
		"article": `<!DOCTYPE html><html><head><title>Deposits explained | The Site</title><meta property="og:type" content="article">
<meta name="author" content="Ann"><meta name="keywords" content="rent, deposits"><meta property="article:published_time" content="2024-03-01T10:00:00Z"></head>
<body><header><a href="/">The Site</a></header><nav><ul><li><a href="/a">Menu one</a></li><li><a href="/b">Menu two</a></li></ul></nav>
<main><article><h1>Deposits explained</h1>` + strings.Repeat(prosePage, 5) + `<h2>Second part</h2>` + strings.Repeat(prosePage, 3) + `</article></main>
<div class="related"><a href="/c">Read next: something else entirely that one may like as well</a></div><footer>Imprint</footer></body></html>`,
		"blocks": `<title>Reference</title><body><nav><a href=x>Home</a></nav><h1>Reference</h1>` + prosePage + `
<h2>Lists &amp; more</h2><ul><li>one<ul><li>deep <b>bold</b></li></ul><li><p>two</p><p>still two</p></ul><ol start=3><li>three<li>four</ol>
<dl><dt>term</dt><dd>its meaning</dd><dt>bare term</dt></dl>
<blockquote><p>Quoted words.</p></blockquote>
<pre><code class="language-go">func f() {
	return
}</code></pre>
<table><caption>Prices</caption><tr><th>Item<th colspan=2>Price</tr><tr><td rowspan=2>Chair<td>10<td>EUR</tr><tr><td>20<td>A|B</tr></table>
<table><tr><td><h3>Framed</h3>by a table of layout</td></tr></table>
text beside<br>and below, x<sup>2</sup> <ruby>漢<rt>kan</rt></ruby><script>var x = "code"</script><noscript>enable it</noscript>
<p hidden>one</p><p style="color:red;display: none">two</p><p style="font-size:0px">three</p><p style="opacity:0.5">half seen</p><div style="position:absolute;left:-9999px">four</div>
<!-- a comment --><button>Press</button><select><option>choice</select><img src=x alt="a picture"></body>`,
	}
	for name, source := range pages {
		t.Run(name, func(t *testing.T) {
			extracttest.Golden(t, name, extracttest.Extract(t, Routes(), "a.html", []byte(source)))
		})
	}
}

// What is no article loses only what declares itself to be a margin.
func TestHTMLThatIsNoArticle(t *testing.T) {
	page := `<title>Forum</title><body><nav>Menu</nav>` + prosePage + `<div class="sidebar"><div>` + strings.Repeat(strings.ReplaceAll(prosePage, "paragraph", "post"), 4) + `</div></div>` +
		`<table><tr><th>Part<th>Stock</tr><tr><td>XPS-9520-4K<td>12</tr></table>`
	doc := extracttest.Extract(t, Routes(), "a.html", []byte(page))
	for _, want := range []string{"A paragraph that", "A post that", "| XPS-9520-4K | 12 |"} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("%q is missing in %q", want, doc.Text)
		}
	}
	if strings.Contains(doc.Text, "Menu") {
		t.Error("the menu is there")
	}
}

// A page of nothing but a menu is read.
func TestHTMLOfMargins(t *testing.T) {
	doc := extracttest.Extract(t, Routes(), "a.html", []byte(`<html><nav><a href=x>Alpha</a> <a href=y>Beta</a></nav>`))
	if doc.Text != "Alpha Beta" {
		t.Errorf("%q", doc.Text)
	}
}

func TestHTMLEncodings(t *testing.T) {
	late := "<html><head><script>" + strings.Repeat("//x\n", 5000) + "</script>"
	tests := []struct{ name, data, encoding, want string }{
		{"UTF-8 unsaid", "<p>Grüße", "", "Grüße"},
		{"UTF-8, another declared", "<meta charset=iso-8859-1><p>Grüße", "", "Grüße"},
		{"declared", "<meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "Привет"},
		{"declared the old way", "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\xf0\xd2\xc9\xd7\xc5\xd4", "koi8-r", "Привет"},
		{"declared late", late + "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "Привет"},
		{"XML declaration", "<?xml version='1.0' encoding='shift_jis'?><html><p>\x93\xfa\x96\x7b", "shift_jis", "日本"},
		{"declared by mistake", "<meta charset=shift_jis><p>d\xe9j\xe0 vu, na\xefve caf\xe9 \xe0 la carte\xa0", "Windows-1252", "déjà vu, naïve café à la carte"},
		{"UTF-16", "\xff\xfe<\x00p\x00>\x00\xe9\x00", "UTF-16LE", "é"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := page{}.Extract(t.Context(), extract.Input{Type: extract.TypeHTML, Data: []byte(tt.data)})
			if err != nil || doc.Text != tt.want || doc.Report.Encoding != tt.encoding {
				t.Errorf("%q, %+v, %v", doc.Text, doc.Report, err)
			}
		})
	}
}

func TestHTMLHostile(t *testing.T) {
	deep := strings.Repeat("<div>", 200_000) + "needle<script>x</script><p>second"
	doc := extracttest.Extract(t, Routes(), "a.html", []byte(deep))
	if doc.Text != "needle\n\nsecond" || len(doc.Report.Notes) != 1 {
		t.Errorf("deep: %q, %q", doc.Text, doc.Report.Notes)
	}
	long := "<title>no text</title><style>p{}</style>" + strings.Repeat("<p>word &amp; word"+strings.Repeat(" word", 40)+"</p>\n", maxTree/200)
	if doc = extracttest.Extract(t, Routes(), "a.html", []byte(long)); !strings.HasPrefix(doc.Text, "word & word word") || len(doc.Blocks) != maxTree/200 {
		t.Errorf("long: %.50q, %d blocks", doc.Text, len(doc.Blocks))
	}
	many := strings.Repeat("<p>x", extract.MaxBlocks+1)
	if _, err := (page{}).Extract(t.Context(), extract.Input{Data: []byte(many)}); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("many: %v", err)
	}
	if doc = extracttest.Extract(t, Routes(), "a.html", nil); doc.Text != "" {
		t.Errorf("empty: %q", doc.Text)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(`<title>t</title><h1>a</h1><ul><li>b<li>c</ul><table><tr><td>d<td>e</table><pre>f</pre>`))
	f.Add([]byte(`<dl><dt>a<dd>b</dl><blockquote>c<br>d</blockquote><p hidden>e`))
	f.Add([]byte(`<table><tr><td rowspan=9 colspan=9>a<tr><td><table>b</table>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		extracttest.Fuzz(t, page{}, extract.Input{Type: extract.TypeHTML, Data: data})
	})
}
