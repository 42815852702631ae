package code

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt") // sample.py.txt: no tool takes it for code
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := extracttest.Extract(t, Routes(), name, data)
			extracttest.Golden(t, name, doc)
		})
	}
}

// Every line stands in a block, and a long unit is divided.
func TestOutlineDivides(t *testing.T) {
	var b strings.Builder
	b.WriteString("class Store:\n    \"\"\"Keeps things.\"\"\"\n\n")
	for _, name := range []string{"load", "save", "drop"} {
		b.WriteString("    def " + name + "(self):\n" + strings.Repeat("        do_something(self)\n", 60) + "\n")
	}
	b.WriteString("\nif __name__ == \"__main__\":\n    main()\n")
	text := b.String()
	var got []string
	end := 0
	for _, block := range Outline(text) {
		if block.Start != end {
			t.Errorf("a gap at %d", end)
		}
		end = block.End
		got = append(got, strings.Join(block.Anchor.Headings, " > "))
	}
	if end != len(text) {
		t.Errorf("ends at %d of %d", end, len(text))
	}
	want := []string{"class Store", "class Store", "class Store > def load(self)", "class Store > def save(self)", "class Store > def drop(self)", `if __name__ == "__main__"`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestGoThatDoesNotParse(t *testing.T) {
	doc := extracttest.Extract(t, Routes(), "a.go", []byte("package x\n\nfunc f() {\n\treturn\n}\n\nfunc g( {\n\treturn\n}\n"))
	if len(doc.Blocks) != 3 || doc.Blocks[1].Anchor.Headings[0] != "func f()" {
		t.Errorf("%+v", doc.Blocks)
	}
}

func TestHostile(t *testing.T) {
	ladder := strings.Builder{}
	for i := range 2000 {
		ladder.WriteString(strings.Repeat(" ", i) + "x\n")
	}
	for name, text := range map[string]string{
		"deep": ladder.String(), "comments": strings.Repeat("// x\n", 200_000), "closers": strings.Repeat("}\n", 200_000),
		"brackets": "package x\nvar x = " + strings.Repeat("[", 200_000), "blank": strings.Repeat(" \n", 200_000),
		"one line": strings.Repeat("x;", 500_000), "units": strings.Repeat("f() {\n  x\n}\n", 100_000),
		"halves": strings.Repeat("a\n  b\n", 100_000),
	} {
		for _, file := range []string{"a.go", "a.c"} {
			doc := extracttest.Extract(t, Routes(), file, []byte(text))
			if len(doc.Text) != len(text) {
				t.Errorf("%s, %s: %d bytes of %d", name, file, len(doc.Text), len(text))
			}
		}
	}
}

// More units than a document may have take no memory before they are refused.
func TestTooManyUnits(t *testing.T) {
	text := strings.Repeat("a\n b\n", extract.MaxBlocks+100_000)
	blocks := Outline(text)
	if n := len(blocks); n != extract.MaxBlocks+1 || blocks[n-1].End != len(text) {
		t.Errorf("%d blocks, the last one ends at %d of %d", n, blocks[n-1].End, len(text))
	}
	if _, err := extract.Ranges(text, "text/x-python", corpus.Report{}, blocks, true); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("%v", err)
	}
}

// A Go file that people do not write is not parsed, since its tree would take
// many times its memory; nothing of it is lost.
func TestLongGo(t *testing.T) {
	const function = "func f() {\n\treturn\n}\n\n"
	parsed := "package x\n\n" + strings.Repeat(function, (maxParsed-11)/len(function))
	for _, c := range []struct{ text, name string }{{parsed, "func f"}, {parsed + function, "func f()"}} {
		doc := extracttest.Extract(t, Routes(), "a.go", []byte(c.text))
		if got := doc.Blocks[1].Anchor.Headings; len(got) != 1 || got[0] != c.name {
			t.Errorf("%d bytes: %q, want %q", len(c.text), got, c.name)
		}
		if last := doc.Blocks[len(doc.Blocks)-1]; last.End < len(strings.TrimSpace(c.text)) {
			t.Errorf("%d bytes: ends at %d", len(c.text), last.End)
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("class A:\n  def f(x):\n    return\n\n# c\ndef g():\n  pass\n")
	f.Add("int f()\n{\n\tif (x) {\n\t}\n\telse {\n\t}\n}\n/* c */\n#[x]\nfn g() {}\n")
	f.Add("[a]\nb = 1\n[c]\n- d:\n  e\n")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for i, b := range Outline(text) {
			if b.Start != end || b.End <= b.Start || b.Kind != corpus.BlockCode {
				t.Fatalf("block %d [%d,%d) after %d", i, b.Start, b.End, end)
			}
			end = b.End
		}
		if end != len(text) {
			t.Fatalf("ends at %d of %d", end, len(text))
		}
		in := extract.Input{Name: "a.go", Type: "text/x-go", Data: []byte(text)}
		extracttest.Fuzz(t, golang{}, in)
		extracttest.Fuzz(t, source{}, in)
	})
}
