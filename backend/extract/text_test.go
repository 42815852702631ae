package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestText(t *testing.T) {
	tests := []struct {
		name, file, data string
		want             []string // kind, lines and text of each block
	}{
		{"empty", "a.txt", "", nil},
		{"blank", "a.txt", " \n\t\n", nil},
		{"paragraphs", "a.txt", "\n\n  one\ntwo  \n\n \t\nthree\n", []string{"paragraph 3-4 \"  one\\ntwo\"", "paragraph 7-7 \"three\""}},
		{"carriage returns", "a.txt", "one\r\rtwo\r", []string{"paragraph 1-1 \"one\"", "paragraph 3-3 \"two\""}},
		{"source code", "a.go", "package a\n\n\tvar x = 1\n", []string{"code 1-1 \"package a\"", "code 3-3 \"\\tvar x = 1\""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := mustExtract(t, test.file, test.data)
			var got []string
			for _, b := range doc.Blocks {
				got = append(got, fmt.Sprintf("%s %d-%d %q", b.Kind, b.Anchor.LineStart, b.Anchor.LineEnd, doc.Text[b.Start:b.End]))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("blocks differ (-want +got):\n%s", diff)
			}
		})
	}
}

func mustExtract(t *testing.T, file, data string) *corpus.Extraction {
	t.Helper()
	doc, err := NewRegistry(Builtin()...).Extract(t.Context(), Input{Name: file, Data: []byte(data)})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// logLines makes a log without blank lines.
func logLines(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("%06d worker %d finished task %d in %d ms\n", i, i%7, i*31%997, i*17%101)
	}
	return lines
}

func TestLogBlocksAreBoundedAndStable(t *testing.T) {
	lines := logLines(5000)
	texts := func(lines []string) map[string]bool {
		doc := mustExtract(t, "a.log", strings.Join(lines, ""))
		set := map[string]bool{}
		for _, b := range doc.Blocks {
			if n := b.End - b.Start; n > divideAbove {
				t.Errorf("block of %d bytes", n)
			}
			set[doc.Text[b.Start:b.End]] = true
		}
		return set
	}
	before := texts(lines)
	for _, at := range []int{0, 1, 2500, 4999} {
		edited := append([]string{}, lines[:at]...)
		edited = append(edited, "an inserted line of the log\n")
		edited = append(edited, lines[at:]...)
		changed := 0
		for text := range texts(edited) {
			if !before[text] {
				changed++
			}
		}
		if changed == 0 || changed > 5 {
			t.Errorf("a line inserted at %d changed %d of %d blocks", at, changed, len(before))
		}
	}
}

func TestLongLinesStayWhole(t *testing.T) {
	long := strings.Repeat("word ", 100_000)
	doc := mustExtract(t, "a.txt", long+"\nshort\n"+long)
	for _, b := range doc.Blocks {
		if b.Start > 0 && doc.Text[b.Start-1] != '\n' {
			t.Errorf("block at %d begins inside a line", b.Start)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\n\nb", " \r\r\x00", strings.Join(logLines(200), ""), "\xff\xfea\x00\n\x00", "ä\u2028\u00a0\n"} {
		f.Add("a.txt", []byte(s))
		f.Add("a.go", []byte(s))
	}
	r := NewRegistry(Builtin()...)
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		fuzzExtract(t, r, Input{Name: name, Type: TypePlain, Data: data})
		in := Input{Name: name, Type: Sniff(name, data), Data: data}
		if r.Version(name, in.Type) != "none" {
			fuzzExtract(t, r, in)
		}
	})
}

// fuzzExtract holds for every input: Extract validates what it returns.
func fuzzExtract(t *testing.T, r *Registry, in Input) {
	t.Helper()
	before := string(in.Data)
	doc, err := r.Extract(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if string(in.Data) != before {
		t.Error("the input was changed")
	}
	for i, b := range doc.Blocks {
		if isBlank(doc.Text[b.Start:b.End]) || b.Anchor.LineStart < 1 || b.Anchor.LineEnd < b.Anchor.LineStart {
			t.Errorf("block %d is blank or nowhere: %+v", i, b)
		}
	}
	again, err := r.Extract(t.Context(), in)
	if diff := cmp.Diff(doc, again); diff != "" || err != nil {
		t.Errorf("a second extraction differs: %v\n%s", err, diff)
	}
}

// Many paragraphs are refused before they fill the memory.
func TestManyParagraphs(t *testing.T) {
	for paragraphs, why := range map[int]string{5_000_000: "4 Mi lines", MaxBlocks + 1: "500000 blocks"} {
		data := []byte(strings.Repeat("a\n\n", paragraphs))
		for _, name := range []string{"a.txt", "a.md"} {
			_, err := NewRegistry(Builtin()...).Extract(t.Context(), Input{Name: name, Data: data})
			if !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), why) {
				t.Errorf("%d paragraphs in %s: %v, want a limit of %s", paragraphs, name, err, why)
			}
		}
	}
}
