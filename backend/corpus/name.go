package corpus

import (
	"net/url"
	"path"
	"strings"
)

// FileName is the last part of a document's path: what its file extension is
// read from, and its title where the content has none. Of a page's address it
// is the last part of the path, without query, else the host and a slash, whose
// ".md" or ".sh" is no extension.
func FileName(p string) string {
	if !strings.Contains(p, "://") {
		return path.Base(p)
	}
	u, err := url.Parse(p)
	if err != nil || u.Host == "" {
		return path.Base(p)
	}
	trimmed := strings.Trim(u.Path, "/")
	if trimmed == "" {
		return u.Host + "/"
	}
	return path.Base(trimmed)
}
