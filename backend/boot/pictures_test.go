package boot

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/extract/extracttest"
)

// A hit's boxes enclose its text on the picture of its page, whatever the page's
// rotation and crop.
func TestPagePictures(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.pdf")
	data := new(extracttest.PDF).Document("/PageLabels << /Nums [0 << /S /r >>] >>",
		extracttest.Page{Content: extracttest.Text(72, 700, 12, "The first page says nothing of it.")},
		extracttest.Page{Content: extracttest.Text(100, 400, 24, "quince marmalade"), Entries: "/Rotate 90 /CropBox [50 100 500 700]"})
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	lib := opened(t, Options{Worker: WorkerCommand()})
	if failed := apply(t, lib, folder); len(failed) > 0 {
		t.Fatal(failed)
	}
	found, err := lib.Search(t.Context(), api.SearchRequest{Query: "marmalade"})
	if err != nil || len(found.Hits) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	hit := found.Hits[0]
	page, err := lib.Page(t.Context(), api.PageRequest{Document: hit.Document, Page: 2, Chunk: hit.Chunk})
	if err != nil || page.Pages != 2 || page.Label != "ii" || page.Width != 600 || page.Height != 450 {
		t.Fatalf("%+v, %v", page, err)
	}
	if len(page.Passages) != 1 || !page.Passages[0].Mark || len(page.Passages[0].Boxes) != 1 {
		t.Fatalf("passages %+v", page.Passages)
	}
	const scale = 2
	picture, tag, err := lib.PageImage(t.Context(), hit.Document, 2, int(page.Width)*scale)
	if err != nil || tag == "" {
		t.Fatal(err)
	}
	inside, outside := ink(t, picture, page.Passages[0].Boxes[0], scale)
	if inside == 0 || outside > 0 {
		t.Errorf("%d dark pixels in the passage's box, %d beside it", inside, outside)
	}
	if again, same, err := lib.PageImage(t.Context(), hit.Document, 2, int(page.Width)*scale); err != nil || same != tag || !bytes.Equal(again, picture) {
		t.Errorf("the same picture is another one: %v", err)
	}

	content, about, err := lib.Original(t.Context(), hit.Document)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(content)
	if err := errors.Join(err, content.Close()); err != nil || !bytes.Equal(got, data) || about.Name != "a.pdf" || about.Modified == "" {
		t.Errorf("%d bytes of %d, %+v, %v", len(got), len(data), about, err)
	}

	if err := os.WriteFile(file, append(data, "\n% changed"...), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name        string
		page, width int
		code        string
	}{
		{"a page that there is not", 3, 100, api.CodeStale}, // of a file that is no longer the same
		{"a picture that is not kept", 1, 100, api.CodeStale},
		{"one that is", 2, 1200, ""},
		{"no width", 1, 0, api.CodeInvalid},
	}
	for _, tt := range tests {
		_, _, err := lib.PageImage(t.Context(), hit.Document, tt.page, tt.width)
		if fault, _ := errors.AsType[*api.Error](err); (fault == nil) != (tt.code == "") || fault != nil && fault.Code != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name        string
		page, width int
		code        string
	}{
		{"a page that there is not", 3, 100, api.CodeNotFound},
		{"too wide", 1, 5000, api.CodeInvalid},
		{"page 0", 0, 100, api.CodeInvalid},
	} {
		_, _, err := lib.PageImage(t.Context(), hit.Document, tt.page, tt.width)
		if fault, ok := errors.AsType[*api.Error](err); !ok || fault.Code != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, _, err = lib.Original(t.Context(), hit.Document)
	if fault, ok := errors.AsType[*api.Error](err); !ok || fault.Code != api.CodeNotFound {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestUnshowable: a document that cannot be shown, or not any more, is told with
// the reason; nothing of it is a fault of the program.
func TestUnshowable(t *testing.T) {
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside.pdf")
	whole := new(extracttest.PDF).Document("", extracttest.Page{Content: extracttest.Text(72, 700, 12, "quince marmalade")})
	for name, data := range map[string][]byte{
		filepath.Join(folder, "whole.pdf"): whole, filepath.Join(folder, "cut.pdf"): whole[:40], outside: whole,
	} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lib := opened(t, Options{Worker: WorkerCommand()})
	if failed := apply(t, lib, folder); len(failed) != 1 {
		t.Fatalf("failed: %v", failed)
	}
	list, err := lib.Report(t.Context(), api.ReportRequest{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "whole.pdf")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "whole.pdf")); err != nil {
		t.Skip("no links here: ", err)
	}
	check := func(what string, err error, code string) {
		t.Helper()
		if fault, ok := errors.AsType[*api.Error](err); !ok || fault.Code != code || !strings.Contains(fault.Message, ".pdf") {
			t.Errorf("%s: %+v, want %s", what, err, code)
		}
	}
	for _, d := range list.Readings {
		_, _, err := lib.PageImage(t.Context(), d.Document, 1, 100)
		if d.Path == "cut.pdf" {
			check("a damaged file", err, api.CodeUnsupported)
			continue
		}
		check("a link out of the folder", err, api.CodeNotFound)
		_, _, err = lib.Original(t.Context(), d.Document)
		check("its bytes", err, api.CodeNotFound)
	}
}

// ink counts the dark pixels in a box of a picture and those outside of it.
func ink(t *testing.T, data []byte, box api.Box, scale float64) (inside, outside int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	in := image.Rect(int(box.X0*scale)-2, int(box.Y0*scale)-2, int(box.X1*scale)+2, int(box.Y1*scale)+2)
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, _, _, _ := picture.At(x, y).RGBA(); r > 0x8000 {
				continue
			}
			if image.Pt(x, y).In(in) {
				inside++
			} else {
				outside++
			}
		}
	}
	return inside, outside
}
