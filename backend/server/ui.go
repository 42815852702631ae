package server

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"
)

// ui serves the embedded frontend. Routes are behind the hash, so the only
// page is the index; built assets carry their digest in the name.
func (s *Server) ui(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/" {
		if _, err := fs.Stat(s.opt.UI, "index.html"); errors.Is(err, fs.ErrNotExist) {
			http.Error(w, "This program was built without its frontend. Run: make build", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
	} else if strings.HasPrefix(r.URL.Path, "/assets/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.FileServerFS(s.opt.UI).ServeHTTP(w, r)
}
