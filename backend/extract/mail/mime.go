package mail

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"ibid/backend/extract"
)

// entity is a message or a part of one (RFC 2045): a header and a body. Reading
// is lenient, since mail is what its senders' programs made of it: lines that
// are no field are passed over, a missing end is the end.
type entity struct {
	header map[string]string // by lower-case name; of several fields the first
	kind   string            // media type, lower case
	params map[string]string
	body   []byte // as transferred
}

func parse(data []byte) entity {
	e := entity{header: map[string]string{}}
	next := func() []byte {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line = data[:i+1]
		}
		data = data[len(line):]
		return line
	}
	for len(data) > 0 {
		line := next()
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		var field strings.Builder
		field.Write(bytes.TrimRight(line, "\r\n"))
		for len(data) > 0 && (data[0] == ' ' || data[0] == '\t') { // folded
			field.Write(bytes.TrimRight(next(), "\r\n"))
		}
		name, value, ok := strings.Cut(field.String(), ":")
		name = strings.ToLower(name)
		if _, seen := e.header[name]; ok && !seen && !strings.ContainsAny(name, " \t") {
			e.header[name] = strings.TrimSpace(strings.ReplaceAll(value, "\x00", " "))
		}
	}
	e.body = data
	e.kind, e.params = mediaType(e.header["content-type"])
	return e
}

// mediaType reads a Content-Type, text/plain where there is none.
func mediaType(field string) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(field)
	if err != nil && kind == "" {
		kind, _, _ = strings.Cut(field, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	if !strings.Contains(kind, "/") {
		kind = "text/plain"
	}
	return kind, params
}

// parts divides the body of a multipart entity.
func (e *entity) parts() []entity {
	boundary := []byte("--" + e.params["boundary"])
	var list []entity
	start := -1
	for pos := 0; pos < len(e.body); {
		end := len(e.body)
		if i := bytes.IndexByte(e.body[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		line := bytes.TrimRight(e.body[pos:end], " \t\r\n")
		if bytes.HasPrefix(line, boundary) {
			rest := line[len(boundary):]
			if len(rest) == 0 || string(rest) == "--" {
				if start >= 0 {
					list = append(list, parse(e.body[start:pos]))
				}
				start = end
				if len(rest) > 0 {
					return list
				}
			}
		}
		pos = end
	}
	if start >= 0 {
		list = append(list, parse(e.body[start:]))
	}
	return list
}

// content is the body without its transfer encoding. What is damaged ends
// early.
func (e *entity) content() []byte {
	var r io.Reader
	var b bytes.Buffer
	switch strings.ToLower(e.header["content-transfer-encoding"]) {
	case "base64":
		r = base64.NewDecoder(base64.RawStdEncoding, &digits{rest: e.body})
		b.Grow(len(e.body)/4*3 + bytes.MinRead)
	case "quoted-printable":
		r = quotedprintable.NewReader(bytes.NewReader(e.body))
	default:
		return e.body
	}
	_, _ = b.ReadFrom(r) // of a damaged body its beginning
	return b.Bytes()
}

// least is a size in bytes that content has at least, but for what is damaged.
func (e *entity) least() int {
	if strings.EqualFold(e.header["content-transfer-encoding"], "base64") {
		return len(e.body) / 3 * 2 // four digits for three bytes, and line ends
	}
	return 0
}

// digits reads those of base64 and passes over all else.
type digits struct{ rest []byte }

func (d *digits) Read(p []byte) (n int, err error) {
	for i, c := range d.rest {
		if n == len(p) {
			d.rest = d.rest[i:]
			return n, nil
		}
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '+' || c == '/' {
			p[n] = c
			n++
		}
	}
	d.rest = nil
	return n, io.EOF
}

// field is a header field as people read it, in one line.
func (e *entity) field(name string) string {
	return oneLine(decodeWords(e.header[strings.ToLower(name)]))
}

// fileName is the name of an attachment, or "".
func (e *entity) fileName() string {
	_, params, _ := mime.ParseMediaType(e.header["content-disposition"])
	name := params["filename"]
	if name == "" {
		name = e.params["name"]
	}
	return oneLine(decodeWords(name))
}

func oneLine(s string) string { return strings.Join(strings.Fields(extract.Clean(s)), " ") }

// decodeWords decodes RFC 2047's "=?utf-8?q?…?=", and bytes that stand there
// without it.
func decodeWords(s string) string {
	text, _, err := extract.Decode([]byte(s))
	if err != nil {
		return ""
	}
	d := mime.WordDecoder{CharsetReader: func(label string, r io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return e.NewDecoder().Reader(r), nil
	}}
	decoded, err := d.DecodeHeader(text)
	if err != nil {
		return text
	}
	return decoded
}
