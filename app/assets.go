package app

import (
	"context"
	"net/http"
	"strings"

	"ibid/backend/viewer"
	"ibid/frontend"
)

// serve answers what the page asks of documents, and leaves its own files to
// Wails.
func (s *shell) serve(files http.Handler) http.Handler {
	documents := viewer.New(s.view)
	return guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, viewer.Prefix) {
			documents.ServeHTTP(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
}

// view calls use with the open library, until the request or the window ends.
func (s *shell) view(request context.Context, use func(context.Context, viewer.Library) error) error {
	return s.within(func(life context.Context, lib Library) error {
		ctx, cancel := context.WithCancel(request)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return use(ctx, lib)
	})
}

// guard sends with every file of the interface what the server sends, too.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", frontend.Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
