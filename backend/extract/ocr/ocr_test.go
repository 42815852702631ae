package ocr

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
	"ibid/backend/extract/pdf"
)

const table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
	"1\t1\t0\t0\t0\t0\t0\t0\t2480\t3508\t-1\t\n" +
	"5\t1\t1\t1\t1\t1\t100\t200\t50\t20\t96.5\tThe\n" +
	"5\t1\t1\t1\t1\t2\t160\t190\t80\t40\t91\ttenant\n" +
	"5\t1\t1\t1\t2\t1\t100\t240\t60\t20\t90\tpays.\n" +
	"5\t1\t1\t1\t2\t2\t170\t240\t60\t20\t3\t~~\n" +
	"5\t1\t2\t1\t1\t1\t0\t0\t10\t10\t30\t=|\n" +
	"5\t1\t3\t1\t1\t1\t10\t900\t30\t10\t80\tEnd\n" +
	"broken\n5\t1\t3\t1\t1\t1\t-5\t900\t30\t10\t80\tbad\n"

func TestParse(t *testing.T) {
	want := []paragraph{
		{"The tenant pays.", []corpus.Line{
			{Start: 0, End: 10, Box: corpus.Box{Page: 7, X0: 50, Y0: 95, X1: 120, Y1: 115}},
			{Start: 11, End: 16, Box: corpus.Box{Page: 7, X0: 50, Y0: 120, X1: 80, Y1: 130}},
		}},
		{"End", []corpus.Line{{End: 3, Box: corpus.Box{Page: 7, X0: 5, Y0: 450, X1: 20, Y1: 455}}}},
	}
	if d := cmp.Diff(want, parse(table, 7, .5), cmp.AllowUnexported(paragraph{})); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(table)
	f.Fuzz(func(t *testing.T, tsv string) {
		doc := merge(sample(), []recognised{{2, parse(tsv, 2, .25)}})
		if err := extract.Validate(doc); err != nil {
			t.Error(err)
		}
	})
}

// sample has text on pages 1 and 3.
func sample() *corpus.Extraction {
	return &corpus.Extraction{
		Text: "Title\n\nOne.\n\nThree.", Type: extract.TypePDF, Report: corpus.Report{Pages: 4, NoTextPages: []int{2, 4}},
		Blocks: []corpus.Block{
			{Kind: corpus.BlockHeading, Level: 1, End: 5, Title: "Title", Anchor: corpus.Anchor{Page: 1}},
			{Kind: corpus.BlockParagraph, Start: 7, End: 11, Anchor: corpus.Anchor{Page: 1, Headings: []string{"Title"}}},
			{Kind: corpus.BlockParagraph, Start: 13, End: 19, Anchor: corpus.Anchor{Page: 3, Headings: []string{"Title"}}},
		},
	}
}

func TestMerge(t *testing.T) {
	doc := merge(sample(), []recognised{{2, []paragraph{{text: "Two."}, {text: "More of two."}}}, {4, []paragraph{{text: "Four."}}}})
	if err := extract.Validate(doc); err != nil {
		t.Fatal(err)
	}
	if want := "Title\n\nOne.\n\nTwo.\n\nMore of two.\n\nThree.\n\nFour."; doc.Text != want {
		t.Errorf("%q", doc.Text)
	}
	var pages []int
	for _, b := range doc.Blocks {
		pages = append(pages, b.Anchor.Page)
		if b.Kind == corpus.BlockParagraph && !slices.Equal(b.Anchor.Headings, []string{"Title"}) {
			t.Errorf("%q stands under %q", doc.Text[b.Start:b.End], b.Anchor.Headings)
		}
	}
	if !slices.Equal(pages, []int{1, 1, 2, 2, 3, 4}) {
		t.Errorf("pages %v", pages)
	}
}

// fixed answers with the sample.
type fixed struct{}

func (fixed) Extract(context.Context, extract.Input) (*corpus.Extraction, error) {
	return sample(), nil
}

func noPages(context.Context, extract.Input, int, int) (*extract.Picture, error) {
	return nil, errors.New("the page is damaged")
}

func TestWithoutTesseract(t *testing.T) {
	doc, err := Reader{Inner: fixed{}, Pages: noPages, Off: "it is off"}.Extract(t.Context(), extract.Input{})
	if err != nil || len(doc.Report.NoTextPages) != 2 || !slices.Contains(doc.Report.Notes, "it is off") {
		t.Errorf("%+v, %v", doc.Report, err)
	}
	doc, err = Reader{Inner: fixed{}, Pages: noPages, Program: "/does/not/exist"}.Extract(t.Context(), extract.Input{})
	if err != nil || len(doc.Report.NoTextPages) != 2 || !strings.Contains(strings.Join(doc.Report.Notes, ";"), "failed on 2 pages: page 4: the page is damaged") {
		t.Errorf("%+v, %v", doc.Report, err)
	}
}

// A scanned page is read, and its lines stand where they are in the picture.
func TestTesseract(t *testing.T) {
	program := Find()
	extracttest.NeedTesseract(t, program)
	inner := pdf.Routes(pdf.Options{Cache: filepath.Join(extracttest.Cache(), "pdfium")})[0].Extractor.(extract.Renderer)
	// A page with a text is drawn, and its picture becomes a page without one.
	text := new(extracttest.PDF).Document("", extracttest.Page{Content: extracttest.Text(72, 700, 24, "The tenant pays a deposit", "of three months rent.")})
	drawn, err := inner.Render(t.Context(), extract.Input{Data: text}, 1, 1654)
	if err != nil {
		t.Fatal(err)
	}
	scan := new(extracttest.PDF).Picture(t, drawn.PNG)
	r := Reader{Inner: inner, Pages: inner.Render, Program: program}
	doc, err := r.Extract(t.Context(), extract.Input{Type: extract.TypePDF, Data: scan})
	if err != nil {
		t.Fatal(err)
	}
	if err := extract.Validate(doc); err != nil {
		t.Error(err)
	}
	if doc.Text != "The tenant pays a deposit of three months rent." || len(doc.Report.NoTextPages) != 0 {
		t.Fatalf("%q, %+v", doc.Text, doc.Report)
	}
	first := doc.Blocks[0].Lines[0].Box
	if first.Page != 1 || first.X0 < 70 || first.X0 > 76 || first.Y0 < 60 || first.Y1 > 110 {
		t.Errorf("the first line stands at %+v", first)
	}
}
