// Package viewer serves what a viewer of documents needs besides their text:
// pages as pictures, where passages stand on them, and the documents' own
// bytes. One handler serves the HTTP server and the window; who may ask is
// theirs to decide.
//
//	GET /api/v1/documents/{id}/pages/{n}?chunk=ID     JSON: size, boxes of passages
//	GET /api/v1/documents/{id}/pages/{n}.png?width=W  the page, W pixels wide
//	GET /api/v1/documents/{id}/original               the file, with ranges
package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/backend/api"
)

// Library is what the handler shows. Its errors are *api.Error.
type Library interface {
	// Page measures a page and tells where passages stand on it.
	Page(ctx context.Context, r api.PageRequest) (api.Page, error)
	// PageImage draws a page; tag names this very picture.
	PageImage(ctx context.Context, document string, page, width int) (png []byte, tag string, err error)
	// Original opens the document's file.
	Original(ctx context.Context, document string) (io.ReadSeekCloser, api.Original, error)
}

// Prefix is the path below which everything is.
const Prefix = "/api/v1/documents/"

// usualWidth is the width of a picture in pixels when none is asked for.
const usualWidth = 1200

// New returns the handler. within calls use with the open library, for as long
// as both the request and the library last.
func New(within func(ctx context.Context, use func(context.Context, Library) error) error) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(context.Context, Library, http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc("GET "+Prefix+pattern, func(w http.ResponseWriter, r *http.Request) {
			err := within(r.Context(), func(ctx context.Context, l Library) error { return f(ctx, l, w, r) })
			if err != nil {
				fail(w, err)
			}
		})
	}
	handle("{id}/pages/{page}", page)
	handle("{id}/original", original)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &api.Error{Code: api.CodeNotFound, Message: "no such endpoint: " + r.Method + " " + r.URL.Path})
	})
	return mux
}

func page(ctx context.Context, l Library, w http.ResponseWriter, r *http.Request) error {
	name, picture := strings.CutSuffix(r.PathValue("page"), ".png")
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return &api.Error{Code: api.CodeInvalid, Message: "page " + strconv.Quote(name) + " is no number from 1"}
	}
	if picture {
		return image(ctx, l, w, r, n)
	}
	p, err := l.Page(ctx, api.PageRequest{Document: r.PathValue("id"), Page: n, Chunk: r.URL.Query().Get("chunk")})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, p)
	return nil
}

func image(ctx context.Context, l Library, w http.ResponseWriter, r *http.Request, n int) error {
	width := usualWidth
	if s := r.URL.Query().Get("width"); s != "" {
		var err error
		if width, err = strconv.Atoi(s); err != nil {
			return &api.Error{Code: api.CodeInvalid, Message: "width " + strconv.Quote(s) + " is no number of pixels"}
		}
	}
	png, tag, err := l.PageImage(ctx, r.PathValue("id"), n, width)
	if err != nil {
		return err
	}
	tag = strconv.Quote(tag)
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache") // asked again, and mostly answered by the tag
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(png)))
	_, _ = w.Write(png) // the client is gone: nobody to tell
	return nil
}

// original sends the file as something to be saved: whatever is in it, nothing
// of it runs as a page of ours.
func original(ctx context.Context, l Library, w http.ResponseWriter, r *http.Request) error {
	content, about, err := l.Original(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer content.Close()
	kind := "application/octet-stream"
	if about.Type == "application/pdf" || strings.HasPrefix(about.Type, "image/") && about.Type != "image/svg+xml" {
		kind = about.Type
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": about.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	modified, _ := time.Parse(time.RFC3339, about.Modified) // the zero time says nothing
	http.ServeContent(w, r.WithContext(ctx), "", modified, content)
	return nil
}

func fail(w http.ResponseWriter, err error) {
	fault, ok := errors.AsType[*api.Error](err)
	if !ok {
		fault = &api.Error{Code: api.CodeInternal, Message: "internal error"}
	}
	writeJSON(w, api.HTTPStatus(fault.Code), fault)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the same
}
