package extract

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestBuilder(t *testing.T) {
	b := NewBuilder("x/y")
	b.Heading(2, "Before the\ntitle")
	b.Heading(1, "Title ")
	b.Paragraph("  two\r\n\r\nlines\x00 ")
	b.Paragraph(" \n")
	b.Item(0, "-", "one\nmore")
	b.Item(1, "a)", "two")
	b.Break()
	b.Item(0, "-", "another list")
	b.Place = corpus.Anchor{Sheet: "S"}
	b.Row(Row{Number: 1}) // empty rows before a table are none
	b.Row(Row{Cells: []string{"h|1", "h\n2"}, Header: true, Number: 2})
	b.Row(Row{Cells: []string{"a", ""}, Number: 3})
	b.Row(Row{Number: 4})
	b.Row(Row{Cells: []string{"b"}, Number: 5})
	b.Row(Row{Cells: []string{"another table"}, Number: 9})
	b.Place = corpus.Anchor{}
	b.Code("go", "\n\tif x {\n\t}\n")
	b.Section()
	b.Heading(9, strings.Repeat("long ", 200))
	b.Hide("äö\U000E0041")
	b.Note("once")
	b.Note("once")
	for i := range 2 * maxNotes {
		b.Note("remark %d", i)
	}
	doc, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	if err := Validate(doc); err != nil {
		t.Error(err)
	}
	long := strings.TrimSpace(strings.Repeat("long ", 200))
	want := []string{
		"heading 2 [] Before the title",
		"heading 1 [] Title",
		"paragraph 0 [Title] two\nlines",
		"list 0 [Title] - one\n  more\n  a) two",
		"list 0 [Title] - another list",
		"table 0 [Title] | h\\|1 | h 2 |\n| --- | --- |\n| a |  |\n|\n| b |",
		"table 0 [Title] | another table |",
		"code 0 [Title] \tif x {\n\t}",
		"paragraph 0 [] " + long,
	}
	var got []string
	for _, block := range doc.Blocks {
		got = append(got, strings.Join([]string{
			string(block.Kind), string(rune('0' + block.Level)),
			"[" + strings.Join(block.Anchor.Headings, ">") + "]", doc.Text[block.Start:block.End],
		}, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	table := doc.Blocks[5]
	if table.Header != len("| h\\|1 | h 2 |\n| --- | --- |\n") || table.Anchor.RowStart != 2 || table.Anchor.RowEnd != 5 || table.Anchor.Sheet != "S" {
		t.Errorf("table %+v", table)
	}
	if doc.Title != "Title" || doc.Report.Hidden != 3 || len(doc.Report.Notes) != maxNotes+1 {
		t.Errorf("title %q, report %+v", doc.Title, doc.Report)
	}
}

func TestBuilderLimits(t *testing.T) {
	b := NewBuilder("x/y")
	line := strings.Repeat("x", 1<<20)
	for range MaxText>>20 + 1 {
		b.Paragraph(line)
	}
	b.Paragraph("after the error")
	if _, err := b.Done(); !errors.Is(err, corpus.ErrLimit) || b.Len() > MaxText {
		t.Errorf("%v after %d bytes", err, b.Len())
	}
	b = NewBuilder("x/y")
	for range MaxBlocks + 1 {
		b.Paragraph("x")
	}
	if !errors.Is(b.Err(), corpus.ErrLimit) || !strings.Contains(b.Err().Error(), "blocks") {
		t.Errorf("%v", b.Err())
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain text", "plain text"},
		{" a  b\t\u00a0c ", "a b c"},
		{"a\r\nb\rc\n\n \nd\ve\u2028f", "a\nb\nc\nd\ne\nf"},
		{"a \n b", "a\nb"},
		{"soft\u00adhyphen \u200bzero\ufeff \u202edirection", "softhyphen zero direction"},
		{"\u0628\u200c\u0628 👩\u200d🔬", "\u0628\u200c\u0628 👩\u200d🔬"},
		{"tagged\U000E0061\U000E0062", "tagged"},
		{"bad\xffbyte\x00\x1b", "bad\uFFFDbyte"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestProperty(t *testing.T) {
	b := NewBuilder("x/y")
	for name, value := range map[string]string{
		"title": "Microsoft Word - letter.doc", "creator": " Ann\nLee ", "created": "2024-03-01T23:30:00-02:00",
		"keywords": "a, b;; c", "subject": "", "revision": "4", "description": strings.Repeat("x", 2000),
	} {
		b.Property(name, value)
	}
	doc, err := b.Done()
	want := corpus.Metadata{"author": "Ann Lee", "created": "2024-03-02", "keywords": []string{"a", "b", "c"}}
	if diff := cmp.Diff(want, doc.Metadata); diff != "" || err != nil || doc.Title != "" {
		t.Errorf("title %q, %v\n%s", doc.Title, err, diff)
	}
}

func FuzzBuilder(f *testing.F) {
	f.Add("heading", "text|\n\U000E0041", 1)
	f.Add("\xff", " ", 3)
	f.Fuzz(func(t *testing.T, a, c string, n int) {
		b := NewBuilder("x/y")
		for i := range 8 {
			switch (n>>i + i) & 7 {
			case 0:
				b.Heading(n, a)
			case 1:
				b.Paragraph(c)
			case 2:
				b.Item(n, a, c)
			case 3:
				b.Row(Row{Cells: []string{a, c}, Header: n&1 > 0, Number: i})
			case 4:
				b.Row(Row{Cells: []string{c}})
			case 5:
				b.Code(a, c)
			case 6:
				b.Quote(a)
			case 7:
				b.Break()
			}
		}
		doc, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(doc); err != nil {
			t.Error(err)
		}
		if once := Clean(a); Clean(once) != once {
			t.Errorf("cleaning %q again changes it", once)
		}
	})
}
