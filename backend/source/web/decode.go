package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ibid/backend/corpus"
)

// accepted is what this program asks for; decode knows these and no others.
const accepted = "gzip, deflate, br, zstd"

// zstdWindow is the largest window that a server may use (RFC 9659).
const zstdWindow = 8 << 20

// errIncomplete: the bytes end before what they encode does.
var errIncomplete = errors.New("the answer is cut short")

// coding reads the fields Content-Encoding (RFC 9110, section 8.4). More than
// one coding is refused: no browser accepts it, and attackers like it.
func coding(fields []string) (string, error) {
	var list []string
	for name := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			list = append(list, name)
		}
	}
	switch {
	case len(list) == 0:
		return "", nil
	case len(list) > 1:
		return "", fmt.Errorf("%w: encoded more than once (%s)", corpus.ErrUnsupported, strings.Join(list, ", "))
	}
	switch name := strings.TrimPrefix(list[0], "x-"); name {
	case "gzip", "deflate", "br", "zstd":
		return name, nil
	}
	return "", fmt.Errorf("%w: encoded by %q", corpus.ErrUnsupported, list[0])
}

// decode undoes a content coding and verifies that nothing is missing and
// nothing left over. The result is at most limit bytes. Errors wrap
// errIncomplete or corpus.ErrLimit, or say that the bytes are damaged.
func decode(coding string, data []byte, limit int64) ([]byte, error) {
	in := bytes.NewReader(data)
	r, err := decoder(coding, in)
	if err == nil {
		defer r.Close()
		data, err = io.ReadAll(io.LimitReader(r, limit+1))
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, fmt.Errorf("decode %s: %w", coding, errIncomplete)
	case err != nil:
		return nil, fmt.Errorf("decode %s: the answer is damaged: %w", coding, err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("decode %s: %w: more than %d bytes", coding, corpus.ErrLimit, limit)
	case in.Len() > 0:
		return nil, fmt.Errorf("decode %s: the answer is damaged: %d bytes too many", coding, in.Len())
	}
	return data, nil
}

// decoder reads to the end of in and no further where the format has an end;
// gzip and Zstandard may be several members in a row.
func decoder(coding string, in *bytes.Reader) (io.ReadCloser, error) {
	switch coding {
	case "gzip":
		return gzip.NewReader(in)
	case "deflate":
		// The name means zlib (RFC 1950), but some servers send what is in it.
		head, err := peek(in)
		if err != nil {
			return nil, err
		}
		if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			return zlib.NewReader(in)
		}
		return flate.NewReader(in), nil
	case "br":
		return io.NopCloser(brotli.NewReader(in)), nil
	case "zstd":
		if in.Len() == 0 {
			return nil, io.ErrUnexpectedEOF // to the library it is an empty list of frames
		}
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return io.NopCloser(bufio.NewReader(in)), nil
}

func peek(in *bytes.Reader) (head [2]byte, err error) {
	if _, err = io.ReadFull(in, head[:]); err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	return head, err
}

// isGzip: a sitemap may be stored compressed and served as such a file.
func isGzip(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }
