package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// A frame is the lengths of two parts (8 bytes each, big endian), then a gob,
// then bytes as they are: a document's on the way there, its text on the way
// back. Large ones are copied nowhere in between.

// request asks for one document, or what belongs to one.
type request struct {
	Name, Type string
	Time       time.Duration // after which the extractor should give up
	// Prepare asks for what comes before the first document of a type; there is
	// no document then.
	Prepare bool
	// Page asks for a picture of a page, Width pixels wide, instead of the text.
	Page, Width int
	// Careful: an earlier attempt ended the process while it took a risk.
	Careful bool
}

// response is the extraction without its text, a picture, or what went wrong.
type response struct {
	Document *corpus.Extraction
	Picture  *extract.Picture // without its bytes
	Fault    string
	Kind     fault
	// Risk: this is no answer yet, but says that what follows may end the
	// process, and that the document can be read without (see extract.Risk).
	Risk bool
}

// fault is which of the shared errors a fault wraps.
type fault byte

const (
	faultOther fault = iota
	faultLimit
	faultUnsupported
	faultTime
	faultNotFound
	faultUnavailable
)

// shared are the errors that keep their meaning on the way back, by fault; of
// several that an error wraps the first counts.
var shared = [...]error{
	faultLimit: corpus.ErrLimit, faultUnsupported: corpus.ErrUnsupported, faultNotFound: corpus.ErrNotFound,
	faultUnavailable: corpus.ErrUnavailable,
}

// errTooLarge: a frame is longer than it may be.
var errTooLarge = errors.New("frame is too large")

// content is the second part of a frame to be written.
type content interface {
	io.WriterTo
	Len() int
}

func writeFrame(w io.Writer, head any, body content) error {
	var meta bytes.Buffer
	if err := gob.NewEncoder(&meta).Encode(head); err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	lengths := binary.BigEndian.AppendUint64(nil, uint64(meta.Len()))
	lengths = binary.BigEndian.AppendUint64(lengths, uint64(body.Len()))
	for _, part := range [][]byte{lengths, meta.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write frame: %w", err)
		}
	}
	if _, err := body.WriteTo(w); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// sink takes the second part of a frame.
type sink interface {
	io.Writer
	Grow(n int)
}

// readFrame reads a frame of at most so many bytes. At the end of the input it
// returns io.EOF; errTooLarge leaves the rest unread.
func readFrame(r io.Reader, most int64, head any, body sink) error {
	var lengths [16]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return err
	}
	meta, length := binary.BigEndian.Uint64(lengths[:8]), binary.BigEndian.Uint64(lengths[8:])
	if meta > uint64(most) || length > uint64(most)-meta {
		return errTooLarge
	}
	// All of it is read before any is decoded: the other side can then forget it,
	// and what both hold of a large document does not add up.
	var coded bytes.Buffer
	for _, part := range []struct {
		sink
		length uint64
	}{{&coded, meta}, {body, length}} {
		part.Grow(int(part.length) + bytes.MinRead) // a Buffer wants room to see the end
		if _, err := io.CopyN(part, r, int64(part.length)); err != nil {
			return fmt.Errorf("read frame: %w", err)
		}
	}
	if err := gob.NewDecoder(&coded).Decode(head); err != nil {
		return fmt.Errorf("decode frame: %w", err)
	}
	return nil
}
