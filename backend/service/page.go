package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/store"
)

// Renderer shows pages of documents; extract.Registry does.
type Renderer interface {
	Render(ctx context.Context, in extract.Input, page, width int) (*extract.Picture, error)
}

// Page measures a page of a document and tells where passages stand on it.
func (s *Service) Page(ctx context.Context, r api.PageRequest) (api.Page, error) {
	p, err := s.page(ctx, r)
	return p, s.fault(ctx, "measure the page", err)
}

func (s *Service) page(ctx context.Context, r api.PageRequest) (api.Page, error) {
	picture, record, err := s.picture(ctx, r.Document, r.Page, 0)
	if err != nil {
		return api.Page{}, err
	}
	var chunks []corpus.Chunk
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		chunks, err = v.Chunks(ctx, 0, record.ID)
		return err
	})
	if err != nil {
		return api.Page{}, err
	}
	return api.Page{
		Document: r.Document, Page: r.Page, Pages: picture.Pages, Label: picture.Label,
		Width: float64(picture.Width), Height: float64(picture.Height), Passages: passagesOn(r.Page, chunks, r.Chunk),
	}, nil
}

// passagesOn are the passages on a page; mark is the id of one.
func passagesOn(page int, chunks []corpus.Chunk, mark string) []api.PagePassage {
	list := []api.PagePassage{}
	for _, c := range chunks {
		p := api.PagePassage{ID: c.ID.String(), Mark: c.ID.String() == mark}
		for _, b := range c.Location.Boxes {
			on := b.Page
			if on == 0 {
				on = c.Location.Page
			}
			if on == page {
				p.Boxes = append(p.Boxes, api.Box{X0: float64(b.X0), Y0: float64(b.Y0), X1: float64(b.X1), Y1: float64(b.Y1)})
			}
		}
		if len(p.Boxes) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// PageImage draws a page of a document as PNG, so many pixels wide. The tag is
// another one whenever the picture is.
func (s *Service) PageImage(ctx context.Context, document string, page, width int) (png []byte, tag string, err error) {
	if width < 1 {
		return nil, "", s.fault(ctx, "show the page", invalid("the width %d is no number of pixels", width))
	}
	picture, record, err := s.picture(ctx, document, page, width)
	if err != nil {
		return nil, "", s.fault(ctx, "show the page", err)
	}
	return picture.PNG, pictureKey{record.Content, page, width}.String(), nil
}

// picture draws a page of a document as it was when it was indexed.
func (s *Service) picture(ctx context.Context, document string, page, width int) (*extract.Picture, corpus.Document, error) {
	record, source, err := s.located(ctx, document)
	if err != nil {
		return nil, record, err
	}
	key := pictureKey{record.Content, page, width}
	if p := s.pictures.get(key); p != nil {
		return p, record, nil
	}
	if s.Render == nil {
		return nil, record, &api.Error{Code: api.CodeUnsupported, Message: "this program shows no pages"}
	}
	data, _, err := s.Files.Read(ctx, source, record.Path)
	switch {
	case err != nil:
		return nil, record, unopened(record, err)
	case corpus.HashBytes(data) != record.Content:
		return nil, record, &api.Error{
			Code: api.CodeStale, Message: record.Path + " changed since it was read",
			Hint: "Plan to see what changed; the stored text is still there",
		}
	}
	p, err := s.Render.Render(ctx, extract.Input{Name: path.Base(record.Path), Type: record.Type, Data: data}, page, width)
	if err != nil {
		return nil, record, unreadable(record.Path, err)
	}
	s.pictures.put(key, p)
	return p, record, nil
}

// Original opens a document's own bytes for reading. The caller closes them.
func (s *Service) Original(ctx context.Context, document string) (io.ReadSeekCloser, api.Original, error) {
	record, source, err := s.located(ctx, document)
	if err != nil {
		return nil, api.Original{}, s.fault(ctx, "find the document", err)
	}
	content, modified, err := s.Files.View(ctx, source, record.Path)
	if err != nil {
		return nil, api.Original{}, s.fault(ctx, "open the document", unopened(record, err))
	}
	return content, api.Original{Name: path.Base(record.Path), Type: record.Type, Modified: timestamp(modified)}, nil
}

// unopened says of a document's file why it cannot be opened now. What the
// system will not do, as follow a link out of the folder, is the file's fault.
func unopened(record corpus.Document, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone(record)
	case errors.Is(err, fs.ErrPermission), known(err):
		return err
	}
	return fmt.Errorf("%w: %w", corpus.ErrUnavailable, err)
}
