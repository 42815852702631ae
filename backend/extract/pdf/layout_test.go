package pdf

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

func TestGarble(t *testing.T) {
	tests := []struct {
		name, text string
		bad        bool
	}{
		{"nothing", "", false},
		{"English", "The tenant pays a deposit of three months' rent into an account that both parties name.", false},
		{"German", "Die Rechtsschutzversicherungsgesellschaft zahlt nur, sofern sämtliche Voraussetzungen vorliegen.", false},
		{"Welsh and Czech", "Mae'r tŷ yn gwbl wag. Strč prst skrz krk, čtvrt hrst zrn.", false},
		{"Russian", "Арендатор вносит залог в размере трёх месячных платежей на общий счёт.", false},
		{"Korean", "서비스 제공 기준 적립한도 없이 할인점·주유·온라인쇼핑몰 빅포인트 적립 이마트 트레이더스", false},
		{"Korean with Latin", "발급월 PDF를 SK텔레콤에서 LG전자의 AI를 이용하여 GS25에서", false},
		{"Chinese", "小标宋体是一种常用的中文字体，广泛应用于公文标题。", false},
		{"Arabic", "شرکت بورس کالای ایران امیدنامه پذیرش در بازار اصلی", false},
		{"code", "func (s *Server) HTTPServeJSON(w http.ResponseWriter) error { return nil } // x86_64, sha256", false},
		{"formula", "f (x) = a x + b, g (y) = c y + d, where x and y are real and a > 0 for all n in N", false},
		{"abbreviations", "NATO HTTP XML and the DNS of BBC; kg, km, mm, pH, MHz, PhD", false},
		{"symbol font bullets", "\uf0b7 First item of the list \uf0b7 Second item of the list", false},
		{"replacement characters", "The \ufffd\ufffd\ufffd\ufffd\ufffd pays \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", true},
		{"private use", "\ue012\ue013\ue014 \ue020\ue021\ue022\ue023 \ue010\ue011\ue015 \ue021\ue022\ue023\ue024\ue025", true},
		{"shifted letters", "7KH WHQDQW SDBV D GHSRVLW RI WKUHH PRQWKV UHQW LQWR DQ DFFRXQW wkdw erwk sduwlhv qdph dqg vljqhg", true},
		{"torn words", "T h e t e n a n t p a y s d e p o s i t s t o t h e l a n d l o r d", true},
		{"Cyrillic as Hangul", "킜킰톁톁킰 킜킰톁톈톂킰킱 킘킷킼 킛킸톁톂 킴킾킺톃킼 킟킾킴킿 킔킰톂킰 킛킸톂", true},
		{"Chinese taken for Latin", "È« ÊÀ ½ç ÎÞ ²ú Õß £¬ Áª ºÏ Æð À´ A", true},
		{"spaced Chinese", "全 世 界 无 产 者 ， 联 合 起 来 A", false},
		{"French", "« Où est l’été ? À l’ère dernière, où il y a eu dû à çà et là »", false},
		{"mixed alphabets", "Tнe tεnаnт pауs dеpоsиt оf thгeе mоntнs rеnт tо lаndлогd", true},
		{"few characters", "\ufffd", false},
	}
	for _, tt := range tests {
		if got := garble(tt.text); got >= corpus.GarbledFrom != tt.bad || got < 0 || got > 1 {
			t.Errorf("%s: %.2f", tt.name, got)
		}
	}
}

func TestMatrix(t *testing.T) {
	// A page of 100 by 200 points from (10, 20); the box is near its lower left.
	m := matrix{left: 10, bottom: 20, right: 110, top: 220}
	want := []corpus.Box{
		{X0: 5, Y0: 180, X1: 25, Y1: 190},
		{X0: 10, Y0: 5, X1: 20, Y1: 25},
		{X0: 75, Y0: 10, X1: 95, Y1: 20},
		{X0: 180, Y0: 75, X1: 190, Y1: 95},
	}
	for turns, box := range want {
		m.turns = turns
		if got := m.box(15, 30, 35, 40); got != box {
			t.Errorf("turned %d times: %+v, want %+v", turns, got, box)
		}
		w, h := m.size()
		if turns%2 == 0 != (w == 100) || w*h != 20_000 {
			t.Errorf("turned %d times: %v by %v", turns, w, h)
		}
	}
}

// write writes glyphs of a font of 10 points side by side from a place.
func glyphs(x, y float32, text string) []glyph {
	var list []glyph
	for _, r := range text {
		list = append(list, glyph{r: r, size: 10, box: corpus.Box{X0: x, Y0: y, X1: x + 5, Y1: y + 10}})
		x += 5
	}
	return list
}

func TestSegmenter(t *testing.T) {
	alef, lamBox := glyphs(5, 0, "ا"), glyphs(5, 0, "ل")
	tests := []struct {
		name   string
		glyphs [][]glyph
		want   string
	}{
		{"words", [][]glyph{glyphs(0, 0, "two words")}, "two words"},
		{"white space", [][]glyph{glyphs(0, 0, "  a\u00a0b ")}, "a b"},
		{"cells", [][]glyph{glyphs(0, 0, "a"), glyphs(40, 0, "b")}, "a|b"},
		{"lines", [][]glyph{glyphs(0, 0, "a\r\n"), glyphs(0, 12, "b")}, "a|b"},
		{"raised", [][]glyph{glyphs(0, 5, "m"), glyphs(5, 0, "2")}, "m2"},
		{"ligatures", [][]glyph{glyphs(0, 0, "oﬃce ﬁeld")}, "office field"},
		{"hyphen at the end", [][]glyph{glyphs(0, 0, "deduc\x02"), glyphs(0, 12, "tion")}, "deduc-¬|tion"},
		{"soft hyphens", [][]glyph{glyphs(0, 0, "de\u00adduc\u00ad\r\n"), glyphs(0, 12, "tion")}, "deduc¬|tion"},
		{"upright text", [][]glyph{glyphs(0, 0, "日"), glyphs(0, 11, "本"), glyphs(0, 22, "語")}, "日本語"},
		{"from right to left", [][]glyph{glyphs(40, 0, "ש"), glyphs(35, 0, "ל"), glyphs(30, 0, "ו"), glyphs(25, 0, "ם")}, "שלום"},
		{"lam and alef in one glyph", [][]glyph{glyphs(10, 0, "ک"), alef, lamBox, glyphs(0, 0, "ی")}, "کلای"},
		{"control characters", [][]glyph{glyphs(0, 0, "a\x01b")}, "ab"},
	}
	for _, tt := range tests {
		var s segmenter
		for _, list := range tt.glyphs {
			for _, g := range list {
				s.add(g)
			}
		}
		var got []string
		for _, seg := range s.done() {
			text := seg.text
			if seg.hyphen {
				text += "¬"
			}
			got = append(got, text)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestJoint(t *testing.T) {
	v := newVocabulary([]line{{text: "A self-made deduction for co-operation"}})
	tests := []struct {
		text, next string
		soft       bool
		want       string
	}{
		{"a deduc-", "tion is", false, "a deduction is"},
		{"a deduc\u2010", "tion is", false, "a deduction is"},
		{"a deduc", "tion is", true, "a deduction is"},
		{"a self-", "made one", false, "a self-made one"},
		{"unheard-", "of things", false, "unheardof things"},
		{"COVID-", "19 is", false, "COVID-19 is"},
		{"pages 3 -", "5 are", false, "pages 3 - 5 are"},
		{"an end", "and a start", false, "an end and a start"},
	}
	for _, tt := range tests {
		text, gap := v.joint(tt.text, tt.next, tt.soft)
		if got := text + gap + tt.next; got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.text, tt.next, got, tt.want)
		}
	}
}

func TestFurniture(t *testing.T) {
	at := func(y float32, text string) line {
		return line{text: text, box: corpus.Box{X0: 50, Y0: y, X1: 300, Y1: y + 10}}
	}
	pages, lines := make([]page, 6), make([][]line, 6)
	for i := range pages {
		pages[i] = page{number: i + 1, height: 800}
		lines[i] = []line{at(20, "The title"), at(400, "The title"), at(780, []string{"i", "ii", "iii", "iv", "v", "vi"}[i])}
	}
	lines[5][0].text = "Another title"
	var kept []string
	for i, list := range furniture(pages, lines) {
		for j, drop := range list {
			if !drop {
				kept = append(kept, number(i+1)+" "+lines[i][j].text)
			}
		}
	}
	want := []string{"1 The title", "1 The title", "2 The title", "3 The title", "4 The title", "5 The title", "6 Another title", "6 The title"}
	if d := cmp.Diff(want, kept); d != "" {
		t.Error(d)
	}
}

func TestPattern(t *testing.T) {
	tests := []struct {
		first, second string // on two pages that follow each other
		same, words   bool
	}{
		{"Page 3 of 9", "Page 4 of 9", true, false},
		{"- 3 -", "- 4 -", true, false},
		{"iv", "v", true, false},
		{"3 Annual report", "4 Annual report", true, true},
		{"Annual report 3", "Annual report 4", true, true},
		{"Annual report 2024", "Annual report 2024", false, true},
		{"Annual report", "Annual report", true, true},
		{"Invoice 4711", "Invoice 4790", false, true},
		{"Unit 3 says 21 words", "Unit 4 says 28 words", false, true},
	}
	for _, tt := range tests {
		a, b := pattern(tt.first, 7), pattern(tt.second, 8)
		if (a == b) != tt.same || hasWords(a) != tt.words {
			t.Errorf("%q and %q: %q and %q, words %v", tt.first, tt.second, a, b, hasWords(a))
		}
	}
}

func TestList(t *testing.T) {
	for want, pages := range map[string][]int{
		"1": {1}, "1–3, 5": {1, 2, 3, 5}, "1,200–1,201": {1200, 1201},
		"1, 3, 5, 7, 9, 11, 13, 15 and 2 more": {1, 3, 5, 7, 9, 11, 13, 15, 17, 19},
	} {
		if got := list(pages); got != want {
			t.Errorf("%v: %q, want %q", pages, got, want)
		}
	}
}

// Whatever stands wherever on pages, the document that is made of it is valid
// and holds each letter once, in any order.
func FuzzLayout(f *testing.F) {
	f.Add(uint64(1), uint8(40), "some words of- text 12 • a 日本 שלום")
	f.Add(uint64(7), uint8(200), "a b c")
	f.Add(uint64(9), uint8(3), "\xff \u00ad | \\ \t ﬁ")
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, text string) {
		random := rand.New(rand.NewPCG(seed, 0))
		words := strings.Fields(text)
		if len(words) == 0 || len(text) > 1000 {
			return
		}
		pages := make([]page, 1+n%4)
		var want []rune
		for i := range pages {
			var s segmenter
			pages[i] = page{number: i + 1, width: 600, height: 800, label: "x"}
			for range int(n) / 4 {
				x, y := float32(random.IntN(12))*50, float32(random.IntN(60))*13
				w := words[random.IntN(len(words))]
				for _, g := range glyphs(x, y, w) {
					if random.IntN(20) == 0 {
						g.r = ' '
					}
					s.add(g)
				}
				if random.IntN(2) == 0 {
					s.newLine()
				}
			}
			pages[i].segments = s.done()
			for _, seg := range pages[i].segments {
				if !utf8.ValidString(seg.text) {
					t.Fatalf("segment %q", seg.text)
				}
				want = append(want, letters(seg.text)...)
			}
		}
		b := extract.NewBuilder(extract.TypePDF)
		write(b, pages, []bookmark{{title: words[0], level: 1, page: 1}}, len(pages))
		doc, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		if err := extract.Validate(doc); err != nil {
			t.Fatal(err)
		}
		got := map[rune]int{}
		for _, r := range letters(doc.Text) {
			got[r]++
		}
		for _, r := range want {
			if got[r]--; got[r] < 0 && !strings.Contains(strings.Join(doc.Report.Notes, ""), "left out") {
				t.Fatalf("%q is missing in %q", r, doc.Text)
			}
		}
	})
}

// letters are a text's characters that no rule may drop.
func letters(s string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, s))
}

func FuzzGarble(f *testing.F) {
	f.Add("some text")
	f.Add("\xff\x00 킜킰 T h e")
	f.Fuzz(func(t *testing.T, s string) {
		if got := garble(s); got < 0 || got > 1 || got != got {
			t.Errorf("%v", got)
		}
	})
}
