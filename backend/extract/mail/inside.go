package mail

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Bounds of what is attached to one file. What is beyond is named and not read.
const (
	maxInside      = 1000
	maxInsideBytes = 128 << 20
	maxFileName    = 120 // bytes
)

// Attachment is a document inside of a message or mailbox.
type Attachment struct {
	// Name is unique in the file: the attachment's own, with a number where it
	// has twins, and below a folder that stands for its message in a mailbox.
	// It depends on nothing but the message, so that it stays the same when
	// others come and go.
	Name string
	Data []byte
}

// Attachments lists the documents that a message or mailbox has inside, those
// of forwarded messages included. Pictures, sound, video, fonts and signatures
// are none. Errors are those of Extract.
func Attachments(ctx context.Context, in extract.Input) ([]Attachment, error) {
	w := &writer{ctx: ctx, b: extract.NewBuilder(in.Type), folder: folder{keep: true}}
	switch in.Type {
	case extract.TypeMBOX:
		for data := range messages(in.Data) {
			w.enter(data)
			if err := w.gather(parse(data), 0); err != nil {
				return nil, err
			}
		}
	case extract.TypeEML:
		data, err := narrow(in.Data)
		if err != nil {
			return nil, err
		}
		if err := w.gather(parse(data), 0); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%s: %w as a file with documents inside", extract.TypeName(in.Type), corpus.ErrUnsupported)
	}
	return w.inside, nil
}

// gather does what message does, without writing.
func (w *writer) gather(e entity, depth int) error {
	m := &content{writer: w}
	if err := m.sort(e, depth); err != nil {
		return err
	}
	for _, a := range m.attachments {
		w.put(a)
	}
	for _, f := range m.forwards {
		if err := w.gather(f, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// attachment is a part that is a file.
type attachment struct {
	name string // as it calls itself
	entity
}

// folder gathers attachments under names that are unique.
type folder struct {
	closed bool // nothing of it is a document: a page saved as MHTML
	keep   bool // the bytes as well
	inside []Attachment
	bytes  int
	prefix string         // of the message at hand
	taken  map[string]int // how many have a name, by its folded form
}

// enter begins with the attachments of another message of a mailbox.
func (f *folder) enter(message []byte) {
	id := parse(message[:min(len(message), 64<<10)]).header["message-id"]
	if id == "" {
		id = string(message)
	}
	sum := corpus.HashBytes([]byte(id))
	f.prefix = f.free(hex.EncodeToString(sum[:4])) + "/"
}

// put reports whether an attachment is a document, and has a place.
func (f *folder) put(a attachment) bool {
	if f.closed || strings.HasSuffix(a.kind, "-signature") || len(f.inside) == maxInside {
		return false
	}
	if f.bytes+a.least() > maxInsideBytes { // not even decoded
		f.bytes = maxInsideBytes + 1
		return false
	}
	data := a.content()
	switch family, _, _ := strings.Cut(extract.Sniff(a.fileName(), data), "/"); family {
	case "image", "audio", "video", "font":
		return false
	}
	if f.bytes += len(data); f.bytes > maxInsideBytes {
		return false
	}
	if !f.keep {
		data = nil
	}
	f.inside = append(f.inside, Attachment{f.free(f.prefix + fileName(a.fileName())), data})
	return true
}

// free returns a name, or a numbered form of it that nothing else has.
func (f *folder) free(name string) string {
	if f.taken == nil {
		f.taken = map[string]int{}
	}
	for {
		key := cases.Fold().String(norm.NFC.String(name))
		f.taken[key]++
		n := f.taken[key]
		if n == 1 {
			return name
		}
		ext := path.Ext(name)
		name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
}

// fileName makes a name in a folder of what a sender wrote: nothing of a path,
// nothing that cannot be shown, not too long.
func fileName(s string) string {
	s = s[strings.LastIndexAny(s, `/\`)+1:]
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, norm.NFC.String(s))
	ext := path.Ext(s)
	if len(ext) > maxFileName/2 {
		ext = ""
	}
	stem := strings.TrimSuffix(s, ext)
	for len(stem)+len(ext) > maxFileName {
		_, n := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-n]
	}
	if s = strings.TrimSpace(stem + ext); strings.Trim(s, ". ") == "" {
		return "attachment"
	}
	return s
}
