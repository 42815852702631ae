package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid/backend/api"
)

// taker notes what is asked of it, and by whom.
type taker struct {
	api.Service
	got     api.IngestRequest
	trigger string
}

func (s *taker) Ingest(ctx context.Context, r api.IngestRequest) (api.IngestResponse, error) {
	s.got, s.trigger = r, api.TriggerOf(ctx, "nobody")
	return api.IngestResponse{}, nil
}

func TestIngestRoute(t *testing.T) { // A9, E6, K3
	service := &taker{}
	s, err := New(Options{Service: service, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	post := func(body io.Reader, auth func(r *http.Request)) (int, string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:1/api/v1/Ingest", body)
		r.Header.Set("Content-Type", "application/json")
		auth(r)
		w := httptest.NewRecorder()
		s.authenticate(s.mux).ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookieName(r.Host), Value: s.session}) }

	if code, text := post(strings.NewReader(`{"documents":[{"id":"a","text":"x","metadata":{"k":1}}]}`), bearer); code != http.StatusOK {
		t.Fatalf("status %d: %s", code, text)
	}
	if service.trigger != api.TriggerAPI || len(service.got.Documents) != 1 || service.got.Documents[0].Metadata["k"] != 1. {
		t.Errorf("asked by %q for %+v", service.trigger, service.got)
	}
	if post(strings.NewReader(`{"documents":[]}`), cookie); service.trigger != api.TriggerServer {
		t.Errorf("asked by %q, want the interface", service.trigger)
	}
	service.trigger = ""
	for body, say := range map[string]string{
		`{"documents":[{"id":"a","text":"x","tenant":"other"}]}`:    "unknown field",
		`{"documents":[{"id":"a","text":"x"}],"tenant":"other"}`:    "unknown field",
		`{"documents":[{"id":"a","text":"x","metadata":{"k":{}}}]}`: "nested",
		`{"documents":[{"id":"a","text":"x"}]}{}`:                   "more than one JSON value",
	} {
		if code, text := post(strings.NewReader(body), bearer); code != http.StatusBadRequest || !strings.Contains(text, say) {
			t.Errorf("%s: status %d, %s, want one that says %q", body, code, text, say)
		}
	}
	if code, _ := post(strings.NewReader(`{"documents":[]}`), func(*http.Request) {}); code != http.StatusUnauthorized {
		t.Errorf("status %d without the token", code)
	}
	if service.trigger != "" {
		t.Error("a bad request reached the service")
	}
}

// TestBodyIsBounded: a body without end is given up at the bound.
func TestBodyIsBounded(t *testing.T) { // E6
	service := &taker{}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader(`{"source":"`), endless{}))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	bounded(1<<20, service.Ingest).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "larger than 1 MiB") || service.trigger != "" {
		t.Errorf("status %d: %s", w.Code, w.Body.String())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}
