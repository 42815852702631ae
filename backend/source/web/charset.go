package web

import (
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// readable makes UTF-8, with its mark, of a text whose encoding only the
// answer's header tells. The header is believed where the bytes are no UTF-8:
// many servers announce one encoding for whatever they send. Where that does
// not work out, the bytes stay as they are, and extraction finds its own way.
func readable(body []byte, contentType string) []byte {
	kind, params, err := mime.ParseMediaType(contentType)
	label := params["charset"]
	if err != nil || label == "" || utf8.Valid(body) {
		return body
	}
	if !strings.HasPrefix(kind, "text/") && !strings.HasSuffix(kind, "xml") && kind != "application/json" {
		return body
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return body
	}
	text, err := e.NewDecoder().Bytes(body)
	if name, _ := htmlindex.Name(e); err != nil || name == "utf-8" {
		return body
	}
	return append([]byte("\ufeff"), text...)
}
