package extract

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
)

// MaxWidth is the widest picture of a page in pixels.
const MaxWidth = 4096

// Picture is a page as it looks.
type Picture struct {
	PNG   []byte // nil if none was asked for
	Pages int    // of the document
	Label string // printed on the page as its number, where it is another
	// Width and Height are the page's, in points: what the boxes of anchors are
	// measured in.
	Width, Height float32
}

// Renderer is an Extractor that can show pages.
type Renderer interface {
	Extractor
	// Render draws a page, counted from 1, so many pixels wide; 0 only measures
	// it. Very long pages come out narrower. Errors wrap corpus.ErrNotFound for a
	// page that the document does not have, and what Extract's wrap.
	Render(ctx context.Context, in Input, page, width int) (*Picture, error)
}

// Render draws a page of a document with the extractor of its type.
// corpus.ErrUnsupported says that documents of this type have no pages to show.
func (r *Registry) Render(ctx context.Context, in Input, page, width int) (*Picture, error) {
	if in.Type == "" {
		in.Type = Sniff(in.Name, in.Data)
	}
	renderer, ok := r.Extractor(in.Name, in.Type).(Renderer)
	switch {
	case !ok:
		return nil, fmt.Errorf("pages of %s are %w", TypeName(in.Type), corpus.ErrUnsupported)
	case page < 1 || width < 0 || width > MaxWidth:
		return nil, fmt.Errorf("%w: page %d at %d pixels; pages count from 1, the width is at most %d", corpus.ErrInvalid, page, width, MaxWidth)
	}
	picture, err := renderer.Render(ctx, in, page, width)
	if err != nil {
		return nil, fmt.Errorf("show page %d: %w", page, err)
	}
	return picture, nil
}
