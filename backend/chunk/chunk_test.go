package chunk

import (
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

func options(s Strategy, limit int) Options {
	opt := s.Options()
	opt.Limit, opt.Count = limit, count
	return opt
}

// C4: invalid settings fail before any work.
func TestInvalid(t *testing.T) {
	valid := Options{Target: 50, Count: count}
	doc := plain("Some words.")
	for _, c := range []struct {
		name string
		edit func(o *Options, d *corpus.Extraction)
	}{
		{"no counter", func(o *Options, _ *corpus.Extraction) { o.Count = nil }},
		{"no size", func(o *Options, _ *corpus.Extraction) { o.Target = 0 }},
		{"negative size", func(o *Options, _ *corpus.Extraction) { o.Target = -5 }},
		{"negative limit", func(o *Options, _ *corpus.Extraction) { o.Limit = -1 }},
		{"negative overlap", func(o *Options, _ *corpus.Extraction) { o.Overlap = -1 }},
		{"no room beside special tokens", func(o *Options, _ *corpus.Extraction) { o.Limit = 2 }},
		{"text is not UTF-8", func(_ *Options, d *corpus.Extraction) { d.Text = "a\xff" }},
		{"block outside", func(_ *Options, d *corpus.Extraction) { d.Blocks = []corpus.Block{{Start: 3, End: 99}} }},
		{"block turned round", func(_ *Options, d *corpus.Extraction) { d.Blocks = []corpus.Block{{Start: 3, End: 2}} }},
		{"blocks overlap", func(_ *Options, d *corpus.Extraction) { d.Blocks = []corpus.Block{{End: 3}, {Start: 2, End: 5}} }},
		{"block cuts a character", func(_ *Options, d *corpus.Extraction) {
			d.Text, d.Blocks = "é b", []corpus.Block{{Start: 1, End: 4}}
		}},
		{"header outside", func(_ *Options, d *corpus.Extraction) { d.Blocks = []corpus.Block{{End: 3, Header: 4}} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt, d := valid, *doc
			c.edit(&opt, &d)
			for _, s := range Strategies() {
				if chunks, err := s.Chunk(&d, opt); !errors.Is(err, corpus.ErrInvalid) || chunks != nil {
					t.Errorf("%s: %d chunks, error %v", s.Name(), len(chunks), err)
				}
			}
		})
	}
}

func TestNoWords(t *testing.T) {
	for _, text := range []string{"", " \n\t\n", "---\n\n***\n", "```\n```"} {
		for _, s := range Strategies() {
			if chunks := mustChunk(t, s, outlineText(text), options(s, 64)); len(chunks) != 0 {
				t.Errorf("%s: %q gives %d chunks", s.Name(), text, len(chunks))
			}
		}
	}
}

// A document that fits is one chunk, whatever stands in it.
func TestWhole(t *testing.T) {
	w := newWriter(1)
	text := "# Title\n\n"
	for count(text) < 150 {
		text += w.paragraph() + "\n\n## Part\n\n"
	}
	text += "Last words."
	doc, n := outlineText(text), count(text)
	for _, c := range []struct {
		strategy      Strategy
		target, limit int
		whole         bool
	}{
		{Markdown(), 450, 256, true},
		{Markdown(), 450, n, true},
		{Markdown(), 450, n - 1, false},
		{Markdown(), n - 1, 512, false},
		{Sentence(), 256, n, true},
		{Sentence(), 256, n - 1, false},
		{Sentence(), n - 1, 512, true},
		{Recursive(), n/2 + 1, 0, true},
		{Recursive(), n / 3, 512, false},
		{Fixed(), n, 512, true},
		{Fixed(), n - 1, 512, false},
	} {
		opt := options(c.strategy, c.limit)
		opt.Target = c.target
		if chunks := mustChunk(t, c.strategy, doc, opt); (len(chunks) == 1) != c.whole {
			t.Errorf("%s, %d of %d tokens, limit %d: %d chunks", c.strategy.Name(), n, c.target, c.limit, len(chunks))
		}
	}
}

// A document that is a little too large for one chunk becomes two, and none is
// larger than wanted although the model would take it.
func TestShort(t *testing.T) {
	opt := options(Markdown(), 1024)
	opt.Target, opt.Overlap = 256, 0
	for seed := range uint64(50) {
		w := newWriter(seed)
		text, size := "", 260+int(3*seed) // to 407
		for count(text) < size {
			text += w.sentence() + " "
		}
		chunks := mustChunk(t, Markdown(), plain(text), opt)
		if len(chunks) != 2 {
			t.Errorf("%d tokens make %d chunks", count(text), len(chunks))
		}
		for i, c := range chunks {
			if c.Tokens > 256 {
				t.Errorf("chunk %d of %d tokens has %d", i, count(text), c.Tokens)
			}
		}
	}
}

// C2, S61: every part of a table has the header, the sheet and its rows.
func TestTable(t *testing.T) {
	sheet := func(name string, first, rows int) (string, corpus.Block) {
		w := newWriter(uint64(first))
		text := "| part " + name + " | name | price |\n|---|---|---|\n"
		header := len(text)
		for range rows {
			text += w.row() + "\n"
		}
		return text, corpus.Block{
			Kind: corpus.BlockTable, End: len(text), Header: header,
			Anchor: corpus.Anchor{Sheet: name, RowStart: first, RowEnd: first + rows},
		}
	}
	one, b1 := sheet("one", 1, 60) // row 1 is the header
	two, b2 := sheet("two", 5, 3)
	b2.Start += len(one) + 1
	b2.End += len(one) + 1
	note := corpus.Block{Kind: corpus.BlockParagraph, Start: b2.End + 1, End: b2.End + 6, Anchor: corpus.Anchor{Sheet: "two"}}
	doc := &corpus.Extraction{Text: one + "\n" + two + "\nNote.", Blocks: []corpus.Block{b1, b2, note}}
	for _, s := range Strategies() {
		t.Run(s.Name(), func(t *testing.T) {
			if s.grammar.words {
				t.Skip("it looks at nothing but words")
			}
			next := 1
			chunks := mustChunk(t, s, doc, options(s, 128))
			for i, c := range chunks {
				sheet := "one"
				if i == len(chunks)-1 {
					sheet, next = "two", 5
				}
				if want := "| part " + sheet + " | name | price |\n|---|---|---|\n"; !strings.HasPrefix(c.Content, want) {
					t.Errorf("chunk %d begins with %q", i, c.Content)
				}
				if a := c.Location.Anchor; a.Sheet != sheet || a.RowStart != next || a.RowEnd < a.RowStart {
					t.Errorf("chunk %d is rows %d-%d of %q, not from %d of %q", i, a.RowStart, a.RowEnd, a.Sheet, next, sheet)
				}
				rows := strings.Count(c.Content, "\n") - 1
				next = c.Location.RowEnd + 1
				if got := next - max(c.Location.RowStart, 2); sheet == "one" && got != rows {
					t.Errorf("chunk %d says %d rows, has %d", i, got, rows)
				}
			}
			if len(chunks) < 8 || next != 9 {
				t.Errorf("%d chunks end before row %d", len(chunks), next)
			}
		})
	}
}

// A header that would fill the chunks loses its last lines.
func TestLargeTableHeader(t *testing.T) {
	first := "| " + strings.Repeat("column | ", 10) + "\n"
	for _, c := range []struct{ name, header, want string }{
		{"fits", first, first},
		{"first line fits", first + "|" + strings.Repeat("------|", 10) + "\n", first},
		{"nothing fits", "| " + strings.Repeat("column | ", 40) + "\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.header + strings.Repeat("| some value | other value |\n", 40)
			doc := &corpus.Extraction{Text: text, Blocks: []corpus.Block{{Kind: corpus.BlockTable, End: len(text), Header: len(c.header)}}}
			chunks := mustChunk(t, Markdown(), doc, options(Markdown(), 64))
			if got, want := chunks[len(chunks)-1].Header, strings.TrimSpace(c.want); strings.TrimSpace(got) != want {
				t.Errorf("header %q, want %q", got, want)
			}
		})
	}
}

// C2: code stays whole up to the model's limit and is cut at lines beyond it.
func TestFence(t *testing.T) {
	code := "```go\n" + strings.Repeat("call(a, b)\n", 30) + "```\n"
	text := "# Code\n\nThe code is:\n\n" + code + "\nAnd after it some more words follow.\n\n" + newWriter(1).paragraph()
	for _, c := range []struct {
		name          string
		target, limit int
		whole         bool
	}{
		{"fits into the limit", 100, 256, true},
		{"does not fit", 100, 128, false},
		{"no limit, twice the size", 150, 0, true},
		{"no limit", 90, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := options(Markdown(), c.limit)
			opt.Target, opt.Overlap = c.target, 0
			whole := false
			for i, chunk := range mustChunk(t, Markdown(), outlineText(text), opt) {
				whole = whole || strings.Contains(chunk.Content, strings.TrimSpace(code))
				if strings.Contains(chunk.Content, strings.TrimSpace(code)) && !strings.Contains(chunk.Content, "The code is:\n\n```") {
					t.Errorf("the code is without its announcement: %q", chunk.Content)
				}
				in := strings.Contains(chunk.Content, "call(")
				if in && !strings.Contains(chunk.Content, "```go\n") {
					t.Errorf("chunk %d has code without its info string: %q", i, chunk.Content)
				}
				if in && strings.Count(chunk.Content, "call(a, b)") != strings.Count(chunk.Content, "call") {
					t.Errorf("chunk %d cuts a line: %q", i, chunk.Content)
				}
			}
			if whole != c.whole {
				t.Errorf("whole is %v", whole)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	w := newWriter(5)
	text := "# One\n\n"
	for i := range 40 {
		text += w.sentence() + " "
		if i%4 == 3 {
			text += "\n\n"
		}
		if i == 19 {
			text += "# Two\n\n"
		}
	}
	for _, c := range []struct {
		name    string
		overlap int
		most    int
		some    bool
	}{
		{"sentences", 60, 60, true},
		{"words of a sentence", 6, 6, true},
		{"none", 0, 0, false},
		{"as large as the size", 200, 0, false},
		{"larger than the size", 500, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := options(Markdown(), 0)
			opt.Target, opt.Overlap = 200, c.overlap
			some := false
			for i, chunk := range mustChunk(t, Markdown(), outlineText(text), opt) {
				own := strings.TrimSpace(text[chunk.Location.Start:chunk.Location.End])
				overlap := strings.TrimSpace(strings.TrimSuffix(chunk.Content, own))
				some = some || overlap != ""
				if n := count(overlap) - 2; n > c.most {
					t.Errorf("chunk %d overlaps by %d tokens", i, n)
				}
				if strings.HasPrefix(own, "#") && overlap != "" || strings.Contains(overlap, "#") {
					t.Errorf("chunk %d overlaps over a heading: %q", i, overlap)
				}
				whole := overlap == "" || overlap[0] >= 'A' && overlap[0] <= 'Z'
				if c.overlap == 60 && !whole {
					t.Errorf("chunk %d overlaps by part of a sentence: %q", i, overlap)
				}
			}
			if some != c.some {
				t.Errorf("overlap is %v", some)
			}
		})
	}
}

// The last section is not a chunk of its own if it is very short.
func TestShortLastSection(t *testing.T) {
	for seed := range uint64(20) {
		w := newWriter(seed)
		text := "# Title\n\n"
		for count(text) < 400 {
			text += w.sentence() + "\n\n"
		}
		chunks := mustChunk(t, Markdown(), outlineText(text+"## End\n\nBye.\n"), options(Markdown(), 128))
		if last := chunks[len(chunks)-1]; strings.HasPrefix(last.Content, "## End") {
			t.Errorf("seed %d: %q is a chunk", seed, last.Content)
		}
	}
}
