package viewer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid/backend/api"
)

// stub has one document, "d".
type stub struct{ kind string }

var errNone = &api.Error{Code: api.CodeNotFound, Message: "no such document"}

func (stub) Page(_ context.Context, r api.PageRequest) (api.Page, error) {
	if r.Document != "d" {
		return api.Page{}, errNone
	}
	return api.Page{Document: r.Document, Page: r.Page, Passages: []api.PagePassage{{ID: r.Chunk}}}, nil
}

func (stub) PageImage(_ context.Context, document string, page, width int) ([]byte, string, error) {
	switch {
	case document != "d":
		return nil, "", errNone
	case page > 9:
		return nil, "", errors.New("a secret")
	}
	return []byte("PNG"), "t-" + string(rune('0'+page)) + "-" + map[int]string{usualWidth: "usual", 300: "300"}[width], nil
}

type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

func (s stub) Original(_ context.Context, document string) (io.ReadSeekCloser, api.Original, error) {
	if document != "d" {
		return nil, api.Original{}, errNone
	}
	return file{bytes.NewReader([]byte("0123456789"))}, api.Original{Name: "ä b.pdf", Type: s.kind, Modified: "2024-05-01T00:00:00Z"}, nil
}

func ask(t *testing.T, s stub, path string, header ...string) *http.Response {
	t.Helper()
	h := New(func(ctx context.Context, use func(context.Context, Library) error) error { return use(ctx, s) })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		path   string
		header []string
		status int
		body   string // part of it
	}{
		{"d/pages/2?chunk=c", nil, 200, `"page":2`},
		{"d/pages/2?chunk=c", nil, 200, `"id":"c"`},
		{"x/pages/2", nil, 404, "no such document"},
		{"d/pages/0", nil, 400, "from 1"},
		{"d/pages/two", nil, 400, "from 1"},
		{"d/pages/2.png", nil, 200, "PNG"},
		{"d/pages/2.png?width=300", nil, 200, "PNG"},
		{"d/pages/2.png?width=wide", nil, 400, "pixels"},
		{"d/pages/2.png", []string{"If-None-Match", `"t-2-usual"`}, 304, ""},
		{"d/pages/2.png?width=300", []string{"If-None-Match", `"t-2-usual"`}, 200, "PNG"},
		{"d/pages/10.png", nil, 500, "internal error"},
		{"d/original", nil, 200, "0123456789"},
		{"d/original", []string{"Range", "bytes=3-5"}, 206, "345"},
		{"d/original", []string{"Range", "bytes=30-"}, 416, ""},
		{"x/original", nil, 404, "no such document"},
		{"d/other", nil, 404, "no such endpoint"},
	}
	for _, tt := range tests {
		r := ask(t, stub{"application/pdf"}, Prefix+tt.path, tt.header...)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != tt.status || !strings.Contains(string(body), tt.body) || strings.Contains(string(body), "secret") {
			t.Errorf("%s %v: %d %s", tt.path, tt.header, r.StatusCode, body)
		}
	}
}

// Nothing that is in a document runs as a page of ours.
func TestOriginalIsHarmless(t *testing.T) {
	for kind, want := range map[string]string{
		"application/pdf": "application/pdf", "image/png": "image/png",
		"text/html": "application/octet-stream", "image/svg+xml": "application/octet-stream", "": "application/octet-stream",
	} {
		h := ask(t, stub{kind}, Prefix+"d/original").Header
		if got := h.Get("Content-Type"); got != want {
			t.Errorf("%s is sent as %s", kind, got)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") ||
			h.Get("Content-Disposition") != "attachment; filename*=utf-8''%C3%A4%20b.pdf" {
			t.Errorf("%s: headers %v", kind, h)
		}
	}
}
