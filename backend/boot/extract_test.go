package boot

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
	"ibid/backend/extract/ocr"
)

// docx is a Word document with one paragraph.
func docx(t *testing.T, text string) []byte {
	t.Helper()
	return extracttest.Zip(t,
		extracttest.Part{Name: "[Content_Types].xml"},
		extracttest.Part{Name: "_rels/.rels", Data: `<r><r Id="1" Type="x/officeDocument" Target="word/document.xml"/></r>`},
		extracttest.Part{Name: "word/document.xml", Data: `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:body></w:document>`},
	)
}

// Documents are read in other processes: what is wrong with one is said of it,
// and the others are read.
func TestWorkers(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string][]byte{
		"good.docx": docx(t, "marmalade"), "bomb.docx": docx(t, strings.Repeat(" ", 4<<20)), "cut.docx": docx(t, "x")[:200],
		"scan.pdf":  new(extracttest.PDF).Document("", extracttest.Page{Content: extracttest.Text(72, 700, 12, "first page")}, extracttest.Page{Content: extracttest.Text(72, 700, 12, "medlar")}),
		"page.html": []byte("<p>quince</p>"), "note.txt": []byte("plum"), "locked.docx": []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\x00n\x00c\x00r\x00y\x00p\x00t\x00i\x00o\x00n\x00I\x00n\x00f\x00o\x00\x00\x00"),
	})
	lib := opened(t, Options{Worker: WorkerCommand()})
	failed := apply(t, lib, folder)
	want := map[string]string{"bomb.docx": "compressed more than 100 to 1", "cut.docx": "cut off", "locked.docx": "password needed"}
	for path, reason := range want {
		if !strings.Contains(failed[path], reason) {
			t.Errorf("%s: %q, want %q", path, failed[path], reason)
		}
	}
	if len(failed) != len(want) {
		t.Errorf("failed: %q", slices.Sorted(maps.Keys(failed)))
	}
	for query, path := range map[string]string{"marmalade": "good.docx", "quince": "page.html", "plum": "note.txt", "medlar": "scan.pdf"} {
		found, err := lib.Search(t.Context(), api.SearchRequest{Query: query})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Path != path {
			t.Errorf("%s: %+v, %v", query, found.Hits, err)
		}
	}
	found, err := lib.Search(t.Context(), api.SearchRequest{Query: "medlar"})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Location.Label != "pp. 1–2" {
		t.Errorf("a passage over two pages: %+v, %v", found.Hits, err)
	}
}

// A scan says what would read it; with text recognition it is read, and a plan
// shows that it is to be read again.
func TestRecognition(t *testing.T) {
	folder, library := t.TempDir(), t.TempDir()
	drawn := new(extracttest.PDF).Document("", extracttest.Page{Content: extracttest.Text(72, 700, 24, "quince marmalade")})
	picture, err := newReaders(nil, extracttest.Cache(), config.OCROff, slog.New(slog.DiscardHandler)).render.Render(
		t.Context(), extract.Input{Name: "a.pdf", Data: drawn}, 1, 1654)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "scan.pdf"), new(extracttest.PDF).Picture(t, picture.PNG), 0o600); err != nil {
		t.Fatal(err)
	}
	withLibrary := func(mode string, use func(*testing.T, *Library)) {
		t.Run(mode, func(t *testing.T) {
			use(t, opened(t, Options{Library: library, Settings: map[string]string{"embeddings": "none", "ocr": mode}, Worker: WorkerCommand()}))
		})
	}
	withLibrary("off", func(t *testing.T, lib *Library) {
		apply(t, lib, folder)
		r, err := lib.Report(t.Context(), api.ReportRequest{})
		if err != nil || len(r.Readings) != 1 || !strings.Contains(strings.Join(r.Readings[0].Reading.Notes, ";"), "config set ocr auto") {
			t.Errorf("%+v, %v", r, err)
		}
	})
	extracttest.NeedTesseract(t, ocr.Find())
	withLibrary("auto", func(t *testing.T, lib *Library) {
		p, err := lib.Plan(t.Context(), api.PlanRequest{})
		if err != nil || p.Summary.Updated != 1 {
			t.Fatalf("%+v, %v", p.Summary, err)
		}
		run(t, lib, api.ApplyRequest{})
		found, err := lib.Search(t.Context(), api.SearchRequest{Query: "marmalade"})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Location.Page != 1 {
			t.Errorf("%+v, %v", found.Hits, err)
		}
	})
}

func TestIsWorker(t *testing.T) {
	if !IsWorker(WorkerCommand()[1:]) || IsWorker(nil) || IsWorker([]string{"search", workerArgument}) {
		t.Error("arguments of a worker are not told from others")
	}
}
