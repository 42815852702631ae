package mail

import (
	"bytes"
	"context"
	"errors"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// mailbox extracts a file of messages (mbox, RFC 4155), each under its subject.
type mailbox struct{}

func (mailbox) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	w := &writer{ctx: ctx, b: extract.NewBuilder(in.Type)}
	found := false
	for data := range messages(in.Data) {
		found = true
		w.b.Section()
		w.enter(data)
		if err := w.message(parse(data), 0); err != nil {
			return nil, err
		}
	}
	if !found && len(in.Data) > 0 {
		return nil, errors.New(`there is no line "From …": it is no mailbox`)
	}
	w.b.Report.Attachments = len(w.inside)
	doc, err := w.b.Done()
	if doc != nil {
		doc.Title = "" // it is not the first message's
	}
	return doc, err
}

// messages yields the messages of a mailbox: each follows a line "From …" that
// is the first or stands after an empty line.
func messages(data []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		start, blank := -1, true
		for pos := 0; pos < len(data); {
			end := len(data)
			if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
				end = pos + i + 1
			}
			line := data[pos:end]
			if blank && bytes.HasPrefix(line, []byte("From ")) {
				if start >= 0 && !yield(unescape(data[start:pos])) {
					return
				}
				start = end
			}
			blank = len(bytes.TrimSpace(line)) == 0
			pos = end
		}
		if start >= 0 {
			yield(unescape(data[start:]))
		}
	}
}

// unescape takes off the ">" that keeps a line from looking like a separator.
func unescape(data []byte) []byte {
	if !bytes.Contains(data, []byte("\n>From ")) {
		return data // without the copy
	}
	return bytes.ReplaceAll(data, []byte("\n>From "), []byte("\nFrom "))
}
