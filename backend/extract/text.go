package extract

import (
	"bytes"
	"context"
	"strings"
	"unicode"

	"ibid/backend/corpus"
)

// plain extracts texts without markup: a block is what blank lines separate.
// Source code and data formats are texts whose blocks are code.
type plain struct{}

func (plain) Extract(_ context.Context, in Input) (*corpus.Extraction, error) {
	text, report, err := DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	return plainText(text, in.Type, report)
}

// Ranges makes the extraction of a text that is its own source. The blocks are
// ranges of it, in order; they lose the blank lines at their ends, and blank
// ones are left out. Where lines is set they get the numbers of their lines,
// counted from 1. The list is not to be used any more.
func Ranges(text, mediaType string, report corpus.Report, ranges []corpus.Block, lines bool) (*corpus.Extraction, error) {
	b := blocks{text: text, line: 1, list: ranges[:0]} // never longer than what was read of it
	for _, r := range ranges {
		b.add(r)
	}
	clear(ranges[len(b.list):])
	doc := &corpus.Extraction{Text: text, Type: mediaType, Report: report, Blocks: b.list}
	if lines {
		doc.FirstLine = 1
	} else {
		for i := range doc.Blocks {
			doc.Blocks[i].Anchor.LineStart, doc.Blocks[i].Anchor.LineEnd = 0, 0
		}
	}
	return doc, b.err()
}

func plainText(text, mediaType string, report corpus.Report) (*corpus.Extraction, error) {
	doc := &corpus.Extraction{Text: text, Type: mediaType, Report: report, FirstLine: 1}
	b := blocks{text: text, line: 1}
	b.reserve(strings.Count(text, "\n\n") + len(text)/pieceMin + 1)
	kind := corpus.BlockCode
	if mediaType == TypePlain || mediaType == TypeMarkdown {
		kind = corpus.BlockParagraph
	}
	for start, end := range paragraphs(text) {
		for start < end {
			next := divide(text[start:end]) + start
			b.add(corpus.Block{Kind: kind, Start: start, End: next})
			start = next
		}
	}
	doc.Blocks = b.list
	return doc, b.err()
}

// paragraphs yields the ranges between blank lines, whole lines with their
// line ends.
func paragraphs(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := 0 // of the paragraph
		for pos := 0; pos < len(text); {
			next := lineEnd(text, pos)
			if isBlank(text[pos:next]) {
				if pos > start && !yield(start, pos) {
					return
				}
				start = next
			}
			pos = next
		}
		if start < len(text) {
			yield(start, len(text))
		}
	}
}

// A stretch of more than divideAbove bytes without a blank line, as in a log,
// becomes blocks of whole lines with pieceMin to pieceMax bytes.
const (
	divideAbove = 4000
	pieceMin    = 1000
	pieceMax    = 3000
)

// divide returns the length of the first piece of text. Of the line ends in
// reach it takes the one before the line with the smallest hash, so that an
// inserted line moves the boundaries near it and no others. A longer line
// stays whole.
func divide(text string) int {
	if len(text) <= divideAbove {
		return len(text)
	}
	best, bestHash := 0, corpus.Hash{}
	for pos := lineEnd(text, pieceMin); pos < len(text); {
		if pos > pieceMax && best > 0 {
			break
		}
		next := lineEnd(text, pos)
		if h := corpus.HashBytes([]byte(text[pos:next])); best == 0 || bytes.Compare(h[:], bestHash[:]) < 0 {
			best, bestHash = pos, h
		}
		if pos > pieceMax {
			break
		}
		pos = next
	}
	if best == 0 {
		return len(text)
	}
	return best
}

// lineEnd returns where the line that holds pos ends, its "\n" included.
func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// blocks collects blocks in order and gives them their lines.
type blocks struct {
	text string
	list []corpus.Block
	pos  int // up to here the line ends were counted
	line int // the original's line at pos
}

// reserve makes room for so many blocks, or for all there may be: growing step
// by step takes several times as much.
func (b *blocks) reserve(n int) { b.list = make([]corpus.Block, 0, min(n, MaxBlocks+1)) }

// err is corpus.ErrLimit if there were too many blocks.
func (b *blocks) err() error {
	if len(b.list) > MaxBlocks {
		return tooManyBlocks()
	}
	return nil
}

// add appends b without white space at its end and blank lines at its start;
// a block without any other character is left out.
func (b *blocks) add(block corpus.Block) {
	if len(b.list) > MaxBlocks {
		return
	}
	body := strings.TrimRightFunc(b.text[block.Start:block.End], unicode.IsSpace)
	block.End = block.Start + len(body)
	first := strings.IndexFunc(body, func(r rune) bool { return !unicode.IsSpace(r) })
	if first < 0 {
		return
	}
	block.Start += strings.LastIndexByte(body[:first], '\n') + 1
	block.Anchor.LineStart = b.lineAt(block.Start)
	block.Anchor.LineEnd = b.lineAt(block.End)
	b.list = append(b.list, block)
}

func (b *blocks) lineAt(pos int) int {
	b.line += strings.Count(b.text[b.pos:pos], "\n")
	b.pos = pos
	return b.line
}
