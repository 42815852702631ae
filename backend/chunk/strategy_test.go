package chunk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// starts are the first lines of the chunks, without their repeated headers.
func starts(doc *corpus.Extraction, chunks []corpus.Chunk) []string {
	var list []string
	for _, c := range chunks {
		list = append(list, firstLine(strings.TrimSpace(doc.Text[c.Location.Start:c.Location.End])))
	}
	return list
}

// A question and its answer are one chunk, in whatever way they are written.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // first lines
	}{
		{
			"headings", "# Help\n\n## Billing\n\n### How do I pay?\n\nBy card.\n\n### When?\n\nAt once.\n\n## Other\n\nText.\n\n### Why?\n\nBecause.\n",
			[]string{"# Help", "### When?", "## Other", "### Why?"},
		},
		{"marks", "Q: How do I pay?\nA: By card.\n\nQ: When\nexactly?\nA: At once.\n\nQ. is a letter.\n", []string{"Q: How do I pay?", "Q: When"}},
		{"numbered, in bold", "1. **Question 1:** Who?\n   **Answer:** We.\n2. **Question 2:** Where?\n   **Answer:** Here.\n", []string{"1. **Question 1:** Who?", "2. **Question 2:** Where?"}},
		{"German", "Frage: Wer zahlt?\nAntwort: Der Kunde.\n\nFrage: Wann?\nAntwort: Sofort.\n", []string{"Frage: Wer zahlt?", "Frage: Wann?"}},
		{"Japanese", "Q：いつですか？\nA：明日です。\n\n質問：どこですか？\n回答：東京です。\n", []string{"Q：いつですか？", "質問：どこですか？"}},
		{"alone in its paragraph", "How do I pay?\n\nBy card.\n\nAnd then?\n\nNothing.\n", []string{"How do I pay?", "And then?"}},
		{"within running text", "Who would say so? Nobody does.\nIs it? Yes.\n", []string{"Who would say so? Nobody does."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := outlineText(c.text)
			got := starts(doc, mustChunk(t, QA(), doc, options(QA(), 128)))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// The parts of a long answer know their question.
func TestLongAnswer(t *testing.T) {
	w := newWriter(5)
	answer := ""
	for count(answer) < 400 {
		answer += w.paragraph() + "\n\n"
	}
	for name, text := range map[string]string{
		"mark":    "Q: How do I pay?\nA: " + answer,
		"heading": "# How do I pay?\n\n" + answer,
	} {
		chunks := mustChunk(t, QA(), outlineText(text), options(QA(), 128))
		if len(chunks) < 3 {
			t.Fatalf("%s: %d chunks", name, len(chunks))
		}
		for i, c := range chunks {
			if !strings.Contains(c.Input(), "How do I pay?") {
				t.Errorf("%s: part %d does not tell its question", name, i)
			}
			if h := c.Location.Headings; len(h) == 0 || h[len(h)-1] != "How do I pay?" {
				t.Errorf("%s: part %d stands under %q", name, i, h)
			}
		}
	}
}

// Chunks of a contract know their clause.
func TestClauses(t *testing.T) {
	w := newWriter(6)
	var text strings.Builder
	for i := 1; i <= 12; i++ {
		fmt.Fprintf(&text, "§ %d Title of %s\n\n(1) %s\n\n(2) %s\n\n", i, vocabulary[i], w.paragraph(), w.paragraph())
	}
	doc := plain(text.String())
	for _, c := range mustChunk(t, Contract(), doc, options(Contract(), 96)) {
		before := doc.Text[:c.Location.Start+len("§ ")+leadingSpace(doc.Text[c.Location.Start:])]
		at := strings.LastIndex(before, "§ ")
		title := firstLine(doc.Text[at:])
		if h := c.Location.Headings; len(h) != 1 || h[0] != title {
			t.Errorf("chunk %d stands under %q, not %q", c.Index, h, title)
		}
	}
	for line, want := range map[string]bool{
		"§ 5 Kündigung": true, "Article 12": true, "SECTION 3.1 Payment": true, "3. Term and termination": true, "第三条 期間": true,
		"**Clause 4**": true, "ARTICLE IV": true, "§ 5 gilt entsprechend.": false, "Articles of faith": false, "3 apples are enough.": false,
		"Section heads met today": false, "": false, "2025 was a good year": false,
	} {
		if n, _ := clause(line + "\nText"); n > 0 != want {
			t.Errorf("%q is a clause: %v", line, !want)
		}
	}
}

// Larger functions stand by themselves, what is small goes with a neighbour.
func TestFunctions(t *testing.T) {
	body := strings.Repeat("\tdo(something, different)\n", 12)
	text := "package x\n\n// f does.\nfunc f() {\n" + body + "}\n\nfunc g() {\n" + body + "}\n\nfunc small() {}\n\nfunc tiny() {}\n\n// h does.\nfunc h() {\n" + body + "}\n\nfunc last() {}"
	doc := functions(text)
	chunks := mustChunk(t, Code(), doc, options(Code(), 256))
	if d := cmp.Diff([]string{"package x", "func g() {", "func small() {}"}, starts(doc, chunks)); d != "" {
		t.Error(d)
	}
	var crumbs []string
	for _, c := range chunks {
		crumbs = append(crumbs, strings.Join(c.Breadcrumb, " > "))
	}
	if d := cmp.Diff([]string{"", "type T > func g", "type T"}, crumbs); d != "" {
		t.Error(d)
	}
}

// A slide is a chunk, however short.
func TestSlides(t *testing.T) {
	doc := &corpus.Extraction{}
	w := newWriter(8)
	for i := 1; i <= 40; i++ {
		for _, text := range []string{fmt.Sprintf("Slide %d", i), w.sentence(), "[Speaker notes] " + w.sentence()} {
			b := corpus.Block{Kind: corpus.BlockParagraph, Start: len(doc.Text), End: len(doc.Text) + len(text), Anchor: corpus.Anchor{Slide: i}}
			switch {
			case i%10 == 0: // without a title
			case strings.HasPrefix(text, "Slide"):
				b.Kind, b.Level, b.Title = corpus.BlockHeading, 1, text
			default:
				b.Anchor.Headings = []string{fmt.Sprintf("Slide %d", i)}
			}
			doc.Text += text + "\n\n"
			doc.Blocks = append(doc.Blocks, b)
		}
	}
	chunks := mustChunk(t, Slides(), doc, options(Slides(), 256))
	if len(chunks) != 40 {
		t.Fatalf("%d chunks of 40 slides", len(chunks))
	}
	for i, c := range chunks {
		want := []string{fmt.Sprintf("Slide %d", i+1)}
		if i%10 == 9 {
			want = nil
		}
		if c.Location.Slide != i+1 || !cmp.Equal(want, c.Location.Headings) {
			t.Errorf("chunk %d stands at %+v", i, c.Location)
		}
	}
}

// The sizes of the strategy "character" are characters, its limit is tokens.
func TestCharacters(t *testing.T) {
	w := newWriter(9)
	text := strings.Repeat(w.paragraph()+" ", 30)
	opt := options(Character(), 256)
	opt.Target, opt.Overlap = 300, 30
	for i, c := range mustChunk(t, Character(), plain(text), opt) {
		if n := len([]rune(c.Input())); n > 300 {
			t.Errorf("chunk %d has %d characters", i, n)
		}
	}
	opt.Limit = 20
	for i, c := range mustChunk(t, Character(), plain(text), opt) {
		if c.Tokens > 20 {
			t.Errorf("chunk %d has %d tokens", i, c.Tokens)
		}
	}
}

func TestEndings(t *testing.T) {
	doc := outlineText("# One\n\nFirst paragraph of it. Second sentence of it, which goes on for more words than fit.\n\n# Two\n\nText.\n")
	opt := options(Markdown(), 16)
	chunks, ends, err := Markdown().Explain(doc, opt)
	if err != nil || len(chunks) != len(ends) {
		t.Fatalf("%d chunks, %d endings, %v", len(chunks), len(ends), err)
	}
	seen := map[Ending]bool{}
	for _, e := range ends {
		seen[e] = true
	}
	if !seen[EndSection] || !seen[EndSentence] || ends[len(ends)-1] != EndDocument {
		t.Errorf("endings %q", ends)
	}
}

// The text decides where its type leaves it open.
func TestDecide(t *testing.T) {
	w := newWriter(10)
	repeat := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	prose := repeat(12, func(int) string { return w.paragraph() + "\n\n" })
	row := func(i int) string { return fmt.Sprintf("| part %d | %s |\n", i, w.sentence()) }
	for _, c := range []struct{ name, mediaType, text, want string }{
		{"prose", "text/plain", prose, "sentence"},
		{"prose with a heading", "text/plain", "# One\n\n" + prose, "sentence"},
		{"headings", "text/plain", repeat(4, func(i int) string { return fmt.Sprintf("# Part %d\n\n%s\n\n", i, w.paragraph()) }), "markdown"},
		{"manual", "text/markdown", "# Manual\n\n" + prose, "markdown"},
		{"questions", "text/markdown", repeat(4, func(i int) string { return fmt.Sprintf("## How is %d?\n\n%s\n\n", i, w.sentence()) }), "qa"},
		{"marked questions", "text/plain", repeat(4, func(int) string { return w.pair() + "\n\n" }), "qa"},
		{"a few questions in prose", "text/plain", "What then?\n\n" + prose + "And why?\n\n" + prose, "sentence"},
		{"clauses", "text/plain", repeat(6, func(i int) string { return fmt.Sprintf("§ %d Title\n\n%s\n\n", i+1, w.paragraph()) }), "contract"},
		{"numbered", "application/pdf", repeat(9, func(i int) string { return fmt.Sprintf("2.%d %s\n\n", i+1, w.paragraph()) }), "contract"},
		{"numbered sections", "text/markdown", repeat(9, func(i int) string { return fmt.Sprintf("## 2.%d Title\n\n%s\n\n", i+1, w.paragraph()) }), "markdown"},
		{"tables", "text/markdown", "# Parts\n\n| a | b |\n|---|---|\n" + repeat(40, row), "catalogue"},
		{"program with questions", "text/x-go", repeat(4, func(int) string { return "// Why?\n\nfunc f() {}\n\n" }), "code"},
		{"data", "application/json", "```\n{\"a\": \"Why?\"}\n```\n", "code"},
		{"notebook", "application/json", "# Title\n\nText.\n\n```\nprint(1)\n```\n", "markdown"},
		{"nothing", "text/plain", " \n", "sentence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			choice, err := For(c.mediaType, Rules{})
			if err != nil {
				t.Fatal(err)
			}
			d := choice.Decide(outlineText(c.text))
			if d.Strategy.Name() != c.want || d.Reason == "" {
				t.Errorf("%s because of %q, want %s", d.Strategy.Name(), d.Reason, c.want)
			}
		})
	}
}
