package pdf

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

var routes = Routes(Options{Cache: filepath.Join(extracttest.Cache(), "pdfium")})

func read(t *testing.T, data []byte) *corpus.Extraction {
	t.Helper()
	return extracttest.Extract(t, routes, "a.pdf", data)
}

func onePage(content string) []byte {
	return new(extracttest.PDF).Document("", extracttest.Page{Content: content})
}

var lorem = []string{
	"The tenant pays a deposit of three months' rent into an account that both",
	"parties name. The landlord returns it within six months after the end of the",
	"lease, less what is owed, with a statement of every deduc-",
	"tion. Self-made repairs are not deducted.",
}

// report is a document of four pages with a running header and page numbers.
func report() []byte {
	var p extracttest.PDF
	var pages []extracttest.Page
	for n := 1; n <= 4; n++ {
		c := extracttest.Text(72, 760, 9, "Lease agreement, version 3") + extracttest.Text(300, 30, 9, fmt.Sprintf("Page %d of 4", n)) +
			extracttest.Show("F2", 72, 700, 18, fmt.Sprintf("Part %d", n)) + extracttest.Text(72, 670, 11, lorem...)
		switch n {
		case 1:
			for i, row := range [][]string{{"Year", "Rent", "Deposit"}, {"2023", "1,100", "3,300"}, {"2024", "1,150", "3,450"}, {"2025", "1,200", "3,600"}} {
				for j, cell := range row {
					c += extracttest.Text(72+150*float64(j), 580-14*float64(i), 11, cell)
				}
			}
		case 2:
			c += extracttest.Text(72, 100, 11, "This sentence begins on the second page and it goes on without any")
		case 3:
			c = strings.Replace(c, extracttest.Show("F2", 72, 700, 18, "Part 3"),
				extracttest.Text(72, 720, 11, "stop on the third one.")+extracttest.Show("F2", 72, 700, 18, "Part 3"), 1)
		}
		pages = append(pages, extracttest.Page{Content: c})
	}
	return p.Document("/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>", pages...)
}

func TestReport(t *testing.T) { extracttest.Golden(t, "report", read(t, report())) }

// Two columns are read one after the other, even when they are painted line by
// line, and a table of the same shape is read by rows.
func TestColumns(t *testing.T) {
	left := []string{"Left one begins a sentence that", "goes on in the second line and", "in the third line of it until", "it ends here, in the fourth."}
	right := []string{"Right one begins another one", "which is about something else", "entirely, and which is as long", "as the first sentence was."}
	want := strings.Join(left, " ") + "|" + strings.Join(right, " ")
	byLine, byColumn := extracttest.Text(72, 740, 11, "A title over both columns, which crosses the gutter"), extracttest.Text(72, 600, 11, left...)+extracttest.Text(320, 600, 11, right...)
	for i := range left {
		y := 600 - 13.2*float64(i)
		byLine += extracttest.Text(72, y, 11, left[i]) + extracttest.Text(320, y, 11, right[i])
	}
	for name, content := range map[string]string{"painted by line": byLine, "painted by column": byColumn} {
		doc := read(t, onePage(content))
		if got := strings.ReplaceAll(doc.Text, "\n\n", "|"); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestHidden(t *testing.T) {
	tests := []struct {
		name, content string
		hidden        int
		seen          bool
	}{
		{"black", extracttest.Text(72, 600, 12, "Secret"), 0, true},
		{"white", "1 g " + extracttest.Text(72, 600, 12, "Secret"), 6, false},
		{"white on black", "0 g 50 590 200 40 re f 1 g " + extracttest.Text(72, 600, 12, "Secret"), 0, true},
		{"white on white", "1 g 50 590 200 40 re f " + extracttest.Text(72, 600, 12, "Secret"), 6, false},
		{"beside the page", extracttest.Text(700, 600, 12, "Secret"), 6, false},
		{"above the page", extracttest.Text(72, 900, 12, "Secret"), 6, false},
		{"tiny", extracttest.Text(72, 600, .01, "Secret"), 6, false},
		{"invisible mode, as scanners write", "3 Tr " + extracttest.Text(72, 600, 12, "Secret"), 0, true},
		{"white after black", extracttest.Text(72, 600, 12, "Seen") + "1 g " + extracttest.Text(150, 600, 12, "Secret"), 6, false},
	}
	for _, tt := range tests {
		doc := read(t, onePage(tt.content))
		if got := strings.Contains(doc.Text, "Secret"); got != tt.seen || doc.Report.Hidden != tt.hidden {
			t.Errorf("%s: seen %v, %d hidden; %q", tt.name, got, doc.Report.Hidden, doc.Text)
		}
	}
}

func TestMarks(t *testing.T) {
	var p extracttest.PDF
	note := p.Add("<< /Type /Annot /Subtype /Text /Rect [100 600 120 620] /Contents (Check this) /T (Ann) >>")
	hidden := p.Add("<< /Type /Annot /Subtype /Text /F 2 /Rect [100 600 120 620] /Contents (Nobody) >>")
	field := p.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Full name) /V (Ada Lovelace) /Rect [100 500 300 520] >>")
	box := p.Add("<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes /Rect [100 450 110 460] /AP << /N << /Yes %d 0 R >> >> >>", p.Stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", ""))
	doc := read(t, p.Document(fmt.Sprintf("/AcroForm << /Fields [%d 0 R %d 0 R] >>", field, box), extracttest.Page{
		Content: extracttest.Text(72, 700, 12, "A form."),
		Entries: fmt.Sprintf("/Annots [%d 0 R %d 0 R %d 0 R %d 0 R]", note, hidden, field, box),
	}))
	extracttest.Golden(t, "marks", doc)
	if at := doc.Blocks[1].Lines[0].Box; at != (corpus.Box{Page: 1, X0: 100, Y0: 172, X1: 120, Y1: 192}) {
		t.Errorf("the note stands at %+v", at)
	}
}

func TestOutline(t *testing.T) {
	var p extracttest.PDF
	outline, first, second := p.Reserve(), p.Reserve(), p.Reserve()
	child := p.Reserve()
	// The destinations name pages by number, as a viewer accepts them.
	p.Set(outline, fmt.Sprintf("<< /First %d 0 R /Last %d 0 R /Count 2 >>", first, second))
	p.Set(first, fmt.Sprintf("<< /Title (1. Rent) /Parent %d 0 R /Next %d 0 R /First %d 0 R /Last %d 0 R /Dest [0 /Fit] >>", outline, second, child, child))
	p.Set(child, fmt.Sprintf("<< /Title (Deposit) /Parent %d 0 R /Dest [0 /Fit] /First %d 0 R >>", first, first)) // in a circle
	p.Set(second, fmt.Sprintf("<< /Title (Term) /Parent %d 0 R /Dest [1 /Fit] >>", outline))
	page := func(heads ...string) extracttest.Page {
		content := ""
		for i, h := range heads {
			y := 700 - 100*float64(i)
			content += extracttest.Text(72, y, 11, h) + extracttest.Text(72, y-30, 11, lorem...)
		}
		return extracttest.Page{Content: content}
	}
	doc := read(t, p.Document(fmt.Sprintf("/Outlines %d 0 R", outline), page("Rent", "Deposit"), page("Term")))
	var got []string
	for _, b := range doc.Blocks {
		if b.Kind == corpus.BlockHeading {
			got = append(got, fmt.Sprintf("%d %s p%d", b.Level, b.Title, b.Anchor.Page))
		}
	}
	if want := "1 Rent p1, 2 Deposit p1, 1 Term p2"; strings.Join(got, ", ") != want {
		t.Errorf("headings %v, want %s", got, want)
	}
}

func TestNeedsRecognition(t *testing.T) {
	var p extracttest.PDF
	image := p.Stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x00")
	scan := extracttest.Page{
		Content: "400 0 0 400 100 100 cm /I Do", Entries: fmt.Sprintf("/Resources << /XObject << /I %d 0 R >> >>", image),
	}
	doc := read(t, p.Document("", extracttest.Page{Content: extracttest.Text(72, 700, 12, "Text")}, scan, extracttest.Page{}, scan))
	if got := fmt.Sprint(doc.Report.NoTextPages, doc.Report.Pages); got != "[2 4] 4" {
		t.Errorf("pages without text: %s; an empty page needs nothing", got)
	}
	if got, want := strings.Join(doc.Report.Missing(), ";"), "2 of 4 pages have no text and need OCR: 2, 4"; got != want {
		t.Errorf("missing %q", got)
	}
}

// Every line stands on its page, within it, with the words that pdfium gives
// for that page.
func TestLocations(t *testing.T) {
	for name, data := range map[string][]byte{"report": report(), "turned": turned(90), "upside down": turned(180)} {
		doc := read(t, data)
		d, err := routes[0].Extractor.(*reader).engine.open(data)
		if err != nil {
			t.Fatal(err)
		}
		defer d.close()
		pages, err := d.pages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range doc.Blocks {
			text := doc.Text[b.Start:b.End]
			if len(b.Lines) == 0 {
				t.Errorf("%s: %q stands nowhere", name, text)
			}
			for _, l := range b.Lines {
				p := pages[l.Box.Page-1]
				for _, w := range strings.FieldsFunc(text[l.Start:l.End], func(r rune) bool { return r == ' ' || r == '|' }) {
					if !strings.Contains(p.text(), w) {
						t.Errorf("%s: %q is not on page %d", name, w, l.Box.Page)
					}
				}
				if x := l.Box; x.X0 < 0 || x.Y0 < 0 || x.X1 > p.width || x.Y1 > p.height || x.X1 <= x.X0 || x.Y1 <= x.Y0 {
					t.Errorf("%s: %+v is not on a page of %v by %v", name, x, p.width, p.height)
				}
			}
		}
	}
}

func turned(degrees int) []byte {
	return new(extracttest.PDF).Document("", extracttest.Page{
		Content: extracttest.Text(72, 700, 11, lorem...), Entries: fmt.Sprintf("/Rotate %d /CropBox [50 50 562 742]", degrees),
	})
}

func TestPassword(t *testing.T) {
	var p extracttest.PDF
	data := p.Document("", extracttest.Page{Content: extracttest.Text(72, 700, 11, lorem...)})
	key := strings.Repeat("0", 64)
	locked := strings.Replace(string(data), "trailer\n<<", "trailer\n<< /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <"+key+"> /U <"+key+"> >>", 1)
	_, err := extract.NewRegistry(routes...).Extract(t.Context(), extract.Input{Name: "a.pdf", Data: []byte(locked)})
	if !errors.Is(err, corpus.ErrUnsupported) || !strings.Contains(err.Error(), "password needed") {
		t.Errorf("%v", err)
	}
}
