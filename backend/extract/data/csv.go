package data

import (
	"context"
	"math"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// table extracts CSV and TSV: the text as it stands, one record a line, with
// the header repeated for every part. Rows are counted as a spreadsheet counts
// them, from 1 with the header. Line ends within quotes become spaces, and then
// the lines of the file are not told.
type table struct{}

func (table) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, report, err := extract.DecodeLines(in.Data)
	if err != nil {
		return nil, err
	}
	s := &scanner{text: text, delim: '\t'}
	if in.Type == typeCSV {
		s.delim = delimiterOf(text)
	}
	records := s.records(math.MaxInt)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	joined := join(s, records)
	if joined {
		report.Notes = append(report.Notes, "cells of several lines were put into one line")
	}
	for _, r := range records {
		if r.fields > 0 {
			report.Rows++
		}
	}
	first := tableStart(records)
	if first < 0 {
		return extract.Ranges(s.text, in.Type, report, nil, !joined)
	}
	var blocks []corpus.Block
	if first > 0 {
		blocks = append(blocks, part(corpus.BlockParagraph, records, 0, first))
	}
	b := part(corpus.BlockTable, records, first, len(records))
	if b.Anchor.RowEnd > b.Anchor.RowStart && isHeader(s.cells(records[first])) {
		b.Header = records[first].end - records[first].start
	}
	return extract.Ranges(s.text, in.Type, report, append(blocks, b), !joined)
}

// part is the block of records[from:to] with their rows, which are its lines.
func part(kind corpus.BlockKind, records []record, from, to int) corpus.Block {
	b := corpus.Block{Kind: kind, Start: records[from].start, End: records[to-1].end}
	for i, r := range records[from:to] {
		if r.fields > 0 {
			if b.Anchor.RowStart == 0 {
				b.Anchor.RowStart = from + i + 1
			}
			b.Anchor.RowEnd = from + i + 1
		}
	}
	return b
}

// join puts records of several lines into one line each, in place, and reports
// whether there were any.
func join(s *scanner, records []record) bool {
	if !lineEndWithin(s.text, records) {
		return false
	}
	var b strings.Builder
	b.Grow(len(s.text))
	for i, r := range records {
		line := s.text[r.start:r.end]
		records[i].start = b.Len()
		end := strings.HasSuffix(line, "\n")
		b.WriteString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\n", " "))
		if end {
			b.WriteByte('\n')
		}
		records[i].end = b.Len()
	}
	s.text = b.String()
	return true
}

// lineEndWithin reports whether a record has more than one line.
func lineEndWithin(text string, records []record) bool {
	for _, r := range records {
		if strings.Contains(strings.TrimSuffix(text[r.start:r.end], "\n"), "\n") {
			return true
		}
	}
	return false
}
