package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// maxPixels bounds a picture: each takes four bytes.
const maxPixels = 24_000_000

var _ extract.Renderer = (*reader)(nil)

// Render implements extract.Renderer. Annotations and form fields are shown.
func (r *reader) Render(_ context.Context, in extract.Input, page, width int) (*extract.Picture, error) {
	d, err := r.engine.open(in.Data)
	if err != nil {
		return nil, err
	}
	defer d.close()
	p, err := d.picture(page, width)
	if trapped(err) {
		err = trap(err)
	}
	return p, err
}

func (d *document) picture(page, width int) (*extract.Picture, error) {
	if page > d.declared {
		return nil, fmt.Errorf("%w: the document has %d pages", corpus.ErrNotFound, d.declared)
	}
	loaded, err := d.lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: page - 1})
	if trapped(err) {
		return nil, err
	}
	if err != nil {
		return nil, errors.New("the page is damaged")
	}
	ref := requests.Page{ByReference: &loaded.Page}
	m, err := d.matrix(ref)
	if err != nil {
		return nil, fmt.Errorf("measure page: %w", err)
	}
	p := &extract.Picture{Pages: d.declared, Label: d.label(page - 1)}
	p.Width, p.Height = m.size()
	if width == 0 {
		return p, nil
	}
	if p.Width < 1 || p.Height < 1 {
		return nil, errors.New("the page has no size")
	}
	width, height := fit(p.Width, p.Height, width)
	drawn, err := d.lib.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: ref, Width: width, Height: height, Document: &d.ref, RenderForm: true, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return nil, fmt.Errorf("draw page: %w", err)
	}
	defer drawn.Cleanup()
	p.PNG, err = encode(drawn.Result.RenderedImage)
	return p, err
}

// fit is the size in pixels of a page so many pixels wide, within bounds.
func fit(w, h float32, width int) (int, int) {
	x, y := float64(width), float64(width)*float64(h)/float64(w)
	if x*y > maxPixels {
		less := math.Sqrt(maxPixels / (x * y))
		x, y = x*less, y*less
	}
	return max(1, int(x)), max(1, int(math.Round(y)))
}

func encode(picture image.Image) ([]byte, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, picture); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return b.Bytes(), nil
}
