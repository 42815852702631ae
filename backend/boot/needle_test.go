package boot

import (
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/extract/extracttest"
)

// A needle at the start, in the middle and at the end of a document of each
// format is found by a search, and the hit says where it stands.
func TestNeedlesAreFound(t *testing.T) {
	folder := t.TempDir()
	files := extracttest.NeedleFiles(t)
	for _, f := range files {
		put(t, folder, map[string][]byte{f.Name: f.Data})
	}
	lib := opened(t, Options{})
	if failed := apply(t, lib, folder); len(failed) > 0 {
		t.Fatalf("failed: %q", failed)
	}
	for _, f := range files {
		for n, needle := range extracttest.Needles() {
			found, err := lib.Search(t.Context(), api.SearchRequest{Query: needle, Filters: map[string][]string{"path": {f.Name}}})
			if err != nil || len(found.Hits) == 0 {
				t.Errorf("%s: %s is not found: %v", f.Name, needle, err)
				continue
			}
			h := found.Hits[0]
			at := corpus.Anchor{
				Page: h.Location.Page, PageEnd: h.Location.PageEnd, Slide: h.Location.Slide, Headings: h.Location.Headings,
				LineStart: h.Location.LineStart, LineEnd: h.Location.LineEnd,
				Sheet: h.Location.Sheet, RowStart: h.Location.RowStart, RowEnd: h.Location.RowEnd,
			}
			if h.Path != f.Name || !strings.Contains(h.Text, needle) || !f.At(at, h.Text, n) {
				t.Errorf("%s: %s of unit %d is said to stand at %q of %s: %+v", f.Name, needle, n, h.Location.Label, h.Path, at)
			}
			if !strings.Contains(h.Snippet, needle) {
				t.Errorf("%s: the snippet does not show %s: %q", f.Name, needle, h.Snippet)
			}
			if h.Location.Label == "" {
				t.Errorf("%s: %s has no place for people", f.Name, needle)
			}
		}
	}
}

// A plan that is exact says what will not be readable, before it is applied;
// the report says so afterwards.
func TestPlanTellsWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	scan := new(extracttest.PDF).Document("", extracttest.Page{Content: extracttest.Text(72, 700, 12, "The first page.")}, extracttest.Page{Content: "100 100 200 200 re f"})
	put(t, folder, map[string][]byte{"scan.pdf": scan, "cut.docx": []byte("PK\x03\x04 cut off"), "note.md": []byte("# Note\n\nAll of it.\n")})
	lib := opened(t, Options{})
	apply(t, lib, t.TempDir())
	if _, err := lib.AddSource(t.Context(), api.AddSourceRequest{Path: folder, Name: "scans"}); err != nil {
		t.Fatal(err)
	}
	p, err := lib.Plan(t.Context(), api.PlanRequest{Sources: []string{"scans"}, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"scan.pdf": "1 of 2 pages have no text and need OCR: 2", "cut.docx": "all of it: extract Word", "note.md": ""}
	for _, a := range p.Actions {
		if w := want[a.Path]; !strings.HasPrefix(a.Missing, w) || w == "" && a.Missing != "" {
			t.Errorf("%s: missing %q, want %q", a.Path, a.Missing, w)
		}
	}
	if len(p.Actions) != len(want) {
		t.Errorf("%d actions", len(p.Actions))
	}
	diff, err := lib.Diff(t.Context(), api.DiffRequest{Source: "scans", Path: "scan.pdf"})
	if err != nil || len(diff.Reading.NoTextPages) != 1 || diff.Reading.Pages != 2 {
		t.Errorf("diff %+v, %v", diff.Reading, err)
	}
	run(t, lib, api.ApplyRequest{Sources: []string{"scans"}})
	r, err := lib.Report(t.Context(), api.ReportRequest{Source: "scans"})
	if err != nil || r.Unreadable != 1 || r.Partial != 1 || r.NoTextPages != 1 || r.Pages != 2 || len(r.Readings) != 2 || r.Readings[1].Path != "scan.pdf" {
		t.Errorf("report %+v, %v", r, err)
	}
}
