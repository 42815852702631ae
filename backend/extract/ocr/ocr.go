// Package ocr reads the pages of documents that have none of their own text,
// with the program tesseract where it is installed and wanted. It decorates the
// extractor of paged documents: what that reads stays as it is, and recognised
// paragraphs are put in where their pages stand.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Limits of a document.
const (
	maxPages = 300
	// pageTime is how long a page may take.
	pageTime = time.Minute
	// width of the pages' pictures in pixels: about 300 dpi of a sheet of paper,
	// what tesseract is made for.
	width = 2480
	// maxOutput is what tesseract may write about a page, in bytes.
	maxOutput = 16 << 20
)

// Reader is an extractor that has pages recognised.
type Reader struct {
	Inner extract.Extractor
	// Pages shows them.
	Pages func(ctx context.Context, in extract.Input, page, width int) (*extract.Picture, error)
	// Program is tesseract's path; "" recognises nothing, and Off says why in the
	// reports of documents that would need it.
	Program string
	Off     string
}

var _ extract.Extractor = Reader{}

// Find looks for tesseract in the folders of the environment's PATH; "" if it
// is not installed.
func Find() string {
	path, err := exec.LookPath("tesseract")
	if err != nil {
		return ""
	}
	return path
}

// Extract implements extract.Extractor. A page that cannot be recognised stays
// one without text, and the report says why.
func (r Reader) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	doc, err := r.Inner.Extract(ctx, in)
	if err != nil || len(doc.Report.NoTextPages) == 0 {
		return doc, err
	}
	if r.Program == "" {
		doc.Report.Notes = append(doc.Report.Notes, r.Off)
		return doc, nil
	}
	var read []recognised
	var left []int
	var last error
	for i, page := range doc.Report.NoTextPages {
		if i >= maxPages {
			last = fmt.Errorf("%w: more than %d pages", corpus.ErrLimit, maxPages)
			left = append(left, doc.Report.NoTextPages[i:]...)
			break
		}
		paragraphs, err := r.recognise(ctx, in, page)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			last = err
			left = append(left, page)
		case len(paragraphs) == 0: // a picture
		default:
			read = append(read, recognised{page, paragraphs})
		}
	}
	doc = merge(doc, read)
	doc.Report.NoTextPages = left
	if n := len(read); n > 0 {
		doc.Report.Notes = append(doc.Report.Notes, fmt.Sprintf("%s read by text recognition, which makes mistakes: %s", counted(n), numbers(read)))
	}
	if last != nil {
		doc.Report.Notes = append(doc.Report.Notes, fmt.Sprintf("text recognition failed on %s: %v", counted(len(left)), last))
	}
	return doc, nil
}

func counted(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}

// numbers names the pages; of many only the first.
func numbers(list []recognised) string {
	const most = 20
	var parts []string
	for i, r := range list {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, strconv.Itoa(r.page))
	}
	return strings.Join(parts, ", ")
}

// recognise reads one page.
func (r Reader) recognise(ctx context.Context, in extract.Input, page int) ([]paragraph, error) {
	picture, err := r.Pages(ctx, in, page, width)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", page, err)
	}
	limited, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	// 1: find the page's orientation and layout.
	cmd := exec.CommandContext(limited, r.Program, "stdin", "stdout", "--psm", "1", "tsv")
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C"} // one core a page
	for _, name := range []string{"TESSDATA_PREFIX", "LD_LIBRARY_PATH", "SystemRoot"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Stdin = bytes.NewReader(picture.PNG)
	out, log := &bounded{most: maxOutput}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, log
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		switch {
		case limited.Err() != nil && ctx.Err() == nil:
			return nil, fmt.Errorf("page %d: %w: tesseract took longer than %v", page, corpus.ErrLimit, pageTime)
		case errors.Is(err, corpus.ErrLimit):
			return nil, fmt.Errorf("page %d: %w", page, err)
		}
		first, _, _ := strings.Cut(strings.TrimSpace(log.String()), "\n")
		return nil, fmt.Errorf("page %d: tesseract: %w: %s", page, err, extract.Clean(first))
	}
	pixels := float32(width)
	if w, ok := pngWidth(picture.PNG); ok {
		pixels = float32(w)
	}
	return parse(out.String(), page, picture.Width/pixels), nil
}

// pngWidth is a picture's width in pixels (PNG, 11.2.2).
func pngWidth(data []byte) (int, bool) {
	if len(data) < 20 {
		return 0, false
	}
	w := int(data[16])<<24 | int(data[17])<<16 | int(data[18])<<8 | int(data[19])
	return w, w > 0
}

// bounded keeps what is written, up to a size beyond which writing fails.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, fmt.Errorf("%w: tesseract wrote more than %d KiB", corpus.ErrLimit, b.most>>10)
	}
	return b.Buffer.Write(p)
}
