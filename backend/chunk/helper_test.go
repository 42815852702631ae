package chunk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// count resembles a WordPiece tokenizer: pieces of up to six ASCII letters or
// digits, every other character by itself, and two special tokens.
func count(s string) int {
	n, run := 2, 0
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			if run == 0 {
				n++
				run = 6
			}
			run--
		case c <= ' ':
			run = 0
		case utf8.RuneStart(c):
			n++
			run = 0
		}
	}
	return n
}

// countBytes resembles an estimate: four bytes a token, rounded up.
func countBytes(s string) int { return (len(s) + 3) / 4 }

// outlineText makes blocks of a text in a small part of Markdown: headings,
// fences, tables, lists, quotes and paragraphs, parted by blank lines.
func outlineText(text string) *corpus.Extraction {
	doc := &corpus.Extraction{Text: text, Type: "text/markdown", FirstLine: 1}
	var path []string
	start, kind, fenced := -1, corpus.BlockKind(""), false
	end := func(pos int) {
		if start >= 0 {
			b := corpus.Block{Kind: kind, Start: start, End: pos}
			raw := strings.TrimRight(text[start:pos], "\n")
			b.End = start + len(raw)
			switch kind {
			case corpus.BlockHeading:
				b.Level = len(raw) - len(strings.TrimLeft(raw, "#"))
				b.Title = strings.TrimSpace(raw[b.Level:])
				path = append(path[:min(len(path), b.Level-1):min(len(path), b.Level-1)], b.Title)
			case corpus.BlockTable:
				if rows := strings.SplitAfterN(raw, "\n", 3); len(rows) > 1 && strings.HasPrefix(rows[1], "|-") {
					b.Header = len(rows[0]) + len(rows[1])
				}
			}
			doc.Blocks = append(doc.Blocks, b)
		}
		start = -1
	}
	pos := 0
	for line := range strings.Lines(text) {
		next, k := pos+len(line), corpus.BlockParagraph
		switch {
		case strings.HasPrefix(line, "```"):
			k = corpus.BlockCode
		case strings.HasPrefix(line, "#"):
			k = corpus.BlockHeading
		case strings.HasPrefix(line, "|"):
			k = corpus.BlockTable
		case strings.HasPrefix(line, "- "):
			k = corpus.BlockList
		case strings.HasPrefix(line, "> "):
			k = corpus.BlockQuote
		}
		switch {
		case fenced:
			if k == corpus.BlockCode {
				fenced = false
				end(next)
			}
		case strings.TrimSpace(line) == "":
			end(pos)
		default:
			if k != kind || k == corpus.BlockHeading || k == corpus.BlockCode {
				end(pos)
			}
			if start < 0 {
				start, kind = pos, k
			}
			fenced = k == corpus.BlockCode
			if k == corpus.BlockHeading {
				end(next)
			}
		}
		pos = next
	}
	end(len(text))
	if len(path) > 0 && len(doc.Blocks) > 0 && doc.Blocks[0].Kind == corpus.BlockHeading {
		doc.Title = doc.Blocks[0].Title
	}
	return doc
}

// plain is a text without blocks.
func plain(text string) *corpus.Extraction {
	return &corpus.Extraction{Text: text, Type: "text/plain", FirstLine: 1}
}

func mustChunk(t testing.TB, s Chunker, doc *corpus.Extraction, opt Options) []corpus.Chunk {
	t.Helper()
	chunks, err := s.Chunk(doc, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := check(doc, opt, chunks); err != nil {
		t.Fatal(err)
	}
	return chunks
}

// check verifies what holds for the chunks of every document.
func check(doc *corpus.Extraction, opt Options, chunks []corpus.Chunk) error {
	if len(chunks) == 0 {
		if hasWord(doc.Text) {
			return errors.New("a text with words has no chunk")
		}
		return nil
	}
	identified := make([]corpus.Chunk, len(chunks))
	copy(identified, chunks)
	corpus.Identify(corpus.NoID, identified)
	end := 0
	for i, c := range chunks {
		loc := c.Location
		switch {
		case loc.Start != end || loc.End <= loc.Start:
			return fmt.Errorf("chunk %d is [%d:%d] after %d", i, loc.Start, loc.End, end)
		case !utf8.ValidString(doc.Text[loc.Start:loc.End]):
			return fmt.Errorf("chunk %d cuts a character", i)
		case strings.TrimSpace(doc.Text[loc.Start:loc.End]) == "":
			return fmt.Errorf("chunk %d has no text of its own", i)
		case c.Tokens != opt.Count(c.Input()):
			return fmt.Errorf("chunk %d says %d tokens, has %d", i, c.Tokens, opt.Count(c.Input()))
		case opt.Limit > 0 && c.Tokens > opt.Limit:
			return fmt.Errorf("chunk %d has %d tokens, limit %d", i, c.Tokens, opt.Limit)
		case c.Hash != identified[i].Hash || c.Index != i || c.Occurrence != identified[i].Occurrence:
			return fmt.Errorf("chunk %d is not identified", i)
		case c.Header != "" && !strings.HasSuffix(c.Header, "\n"):
			return fmt.Errorf("chunk %d has a header %q without line end", i, c.Header)
		}
		if path := loc.Headings; len(c.Breadcrumb) > 0 && !opt.Breadcrumb || len(c.Breadcrumb) > len(path) {
			return fmt.Errorf("chunk %d has breadcrumb %q under %q", i, c.Breadcrumb, path)
		}
		// Content = header, overlap and own range, trimmed.
		own := strings.TrimSpace(doc.Text[loc.Start:loc.End])
		if !strings.HasSuffix(c.Content, own) {
			return fmt.Errorf("chunk %d: content %q does not end in its own text %q", i, c.Content, own)
		}
		before := strings.TrimSpace(strings.TrimSuffix(c.Content, own))
		overlap := strings.TrimSpace(strings.TrimPrefix(before, strings.TrimSpace(c.Header)))
		if !strings.HasSuffix(strings.TrimSpace(doc.Text[:loc.Start]), overlap) {
			return fmt.Errorf("chunk %d: overlap %q is not the text before", i, overlap)
		}
		if doc.FirstLine > 0 {
			head := doc.Text[:loc.Start+leadingSpace(doc.Text[loc.Start:])]
			if want := doc.FirstLine + strings.Count(head, "\n"); loc.LineStart != want {
				return fmt.Errorf("chunk %d begins in line %d, not %d", i, want, loc.LineStart)
			}
			if want := loc.LineStart + strings.Count(own, "\n"); loc.LineEnd != want {
				return fmt.Errorf("chunk %d ends in line %d, not %d", i, want, loc.LineEnd)
			}
		}
		end = loc.End
	}
	if end != len(doc.Text) {
		return fmt.Errorf("chunks end at %d of %d", end, len(doc.Text))
	}
	return nil
}

// writer makes varied text from a seed.
type writer struct{ *rand.Rand }

func newWriter(seed uint64) writer { return writer{rand.New(rand.NewPCG(seed, 1))} }

var vocabulary = strings.Fields(`the of and a to in is was for on that with as by at from it an be are which
	system library document passage index vector table query answer section result store model writer reader
	measure record change value revision boundary paragraph network pressure temperature surface laminar flow
	supplier customer agreement delivery notice liability payment invoice warranty termination governing law
	quickly rarely often never always should could would provides returns requires contains describes keeps`)

func (w writer) sentence() string {
	n := 6 + w.IntN(24)
	words := make([]string, n)
	for i := range words {
		words[i] = vocabulary[w.IntN(len(vocabulary))]
		if i < n-1 && w.IntN(9) == 0 {
			words[i] += ","
		}
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ") + "."
}

func (w writer) paragraph() string {
	sentences := make([]string, 1+w.IntN(6))
	for i := range sentences {
		sentences[i] = w.sentence()
	}
	return strings.Join(sentences, " ")
}

func (w writer) row() string {
	return fmt.Sprintf("| %s %d | %s | %d.%02d |", vocabulary[w.IntN(len(vocabulary))], w.IntN(100000),
		vocabulary[w.IntN(len(vocabulary))], w.IntN(1000), w.IntN(100))
}

// section is a paragraph or, for every sixth, a heading.
func (w writer) section() string {
	if w.IntN(6) > 0 {
		return w.paragraph()
	}
	return fmt.Sprintf("%s %s %d", strings.Repeat("#", 2+w.IntN(2)), vocabulary[w.IntN(len(vocabulary))], w.IntN(1000))
}

// words is a sentence without any sign of being one.
func (w writer) words() string {
	return strings.ToLower(strings.NewReplacer(".", "", ",", "").Replace(w.sentence()))
}

// entry is an entry of a catalogue.
func (w writer) entry() string {
	return fmt.Sprintf("%s %d\n%s\nPrice: %d.%02d", vocabulary[w.IntN(len(vocabulary))], w.IntN(100000), w.sentence(), w.IntN(1000), w.IntN(100))
}

// pair is a question and its answer.
func (w writer) pair() string {
	return "Q: " + strings.TrimSuffix(w.sentence(), ".") + "?\nA: " + w.paragraph()
}

// function is one of a program, of any size.
func (w writer) function() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\nfunc f%d() {\n", w.sentence(), w.IntN(1_000_000))
	for range 1 + w.IntN(12) {
		fmt.Fprintf(&b, "\t%s(%d)\n", vocabulary[w.IntN(len(vocabulary))], w.IntN(1000))
	}
	return b.String() + "}"
}

// functions makes a block of each function and names it.
func functions(text string) *corpus.Extraction {
	doc := &corpus.Extraction{Text: text, Type: "text/x-go", FirstLine: 1}
	pos := 0
	for part := range strings.SplitSeq(text, "\n\n") {
		b := corpus.Block{Kind: corpus.BlockCode, Start: pos, End: pos + len(part)}
		if _, name, ok := strings.Cut(part, "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			b.Anchor.Headings = []string{"type T", "func " + name}
		}
		doc.Blocks = append(doc.Blocks, b)
		pos = b.End + 2
	}
	return doc
}
