// Package mail extracts e-mail messages (RFC 5322, MIME) and mailboxes of them.
package mail

import (
	"bytes"
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/web"
)

// Routes are the extractors of this package.
func Routes() []extract.Route {
	return []extract.Route{
		{Types: []string{extract.TypeEML}, Version: "eml/2", Extractor: message{}},
		{Types: []string{extract.TypeMBOX}, Version: "mbox/2", Extractor: mailbox{}},
	}
}

// message extracts one message. Its sender, recipients, subject and date are
// metadata and stand at the top of the text; attachments are named.
type message struct{}

func (message) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	data, err := narrow(in.Data)
	if err != nil {
		return nil, err
	}
	e := parse(data)
	if len(e.header) == 0 && len(data) > 0 {
		return nil, errors.New("there is no header: it is no message")
	}
	w := &writer{ctx: ctx, b: extract.NewBuilder(in.Type), folder: folder{closed: !corpus.IsContainer(in.Name)}}
	if err := w.message(e, 0); err != nil {
		return nil, err
	}
	w.b.Report.Attachments = len(w.inside)
	w.b.Metadata = metadata(&e)
	return w.b.Done()
}

// narrow makes UTF-8 of a message that was stored in UTF-16 or UTF-32 as a
// whole. Others keep their bytes, zeros too: each part has an encoding of its
// own, and a part may be no text.
func narrow(data []byte) ([]byte, error) {
	if bytes.IndexByte(data[:min(len(data), 1024)], 0) < 0 {
		return data, nil
	}
	text, report, err := extract.Decode(data)
	if !strings.HasPrefix(report.Encoding, "UTF-16") && !strings.HasPrefix(report.Encoding, "UTF-32") {
		return data, nil
	}
	return []byte(text), err
}

// maxDepth is how deep parts and forwarded messages may stand in each other.
const maxDepth = 20

// writer writes messages into one document, and gathers what is attached.
type writer struct {
	ctx context.Context //nolint:containedctx // a writer lives for one call of Extract
	b   *extract.Builder
	folder
}

// message writes a message that is forwarded by so many others.
func (w *writer) message(e entity, depth int) error {
	m := &content{writer: w}
	if err := m.sort(e, depth); err != nil {
		return err
	}
	w.b.Heading(depth+1, e.field("Subject"))
	w.b.Paragraph(head(&e, m.names()))
	if err := m.write(); err != nil {
		return err
	}
	for _, a := range m.attachments {
		if !w.put(a) {
			w.b.Note("the attachment %q was not read", a.name)
		}
	}
	for _, f := range m.forwards {
		if err := w.message(f, depth+1); err != nil {
			return err
		}
	}
	return w.b.Err()
}

// names are those of what is attached.
func (m *content) names() []string {
	var list []string
	for _, a := range m.attachments {
		list = append(list, a.name)
	}
	return list
}

// content is what a message consists of.
type content struct {
	*writer
	texts       []body
	attachments []attachment
	forwards    []entity
}

// body is a text of a message, as text, as HTML, or as both.
type body struct {
	plain, html string
}

// sort gathers the content of an entity: what is shown, named or forwarded.
func (m *content) sort(e entity, depth int) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	attached := strings.HasPrefix(strings.ToLower(e.header["content-disposition"]), "attachment")
	switch {
	case depth > maxDepth:
		m.b.Note("what nests deeper than %d parts was not read", maxDepth)
	case e.kind == "multipart/alternative" && e.params["boundary"] != "":
		return m.alternative(e.parts(), depth)
	case strings.HasPrefix(e.kind, "multipart/") && e.params["boundary"] != "":
		for _, p := range e.parts() {
			if err := m.sort(p, depth+1); err != nil {
				return err
			}
		}
	case e.kind == extract.TypeEML:
		m.forwards = append(m.forwards, parse(e.content()))
	case e.kind == extract.TypeHTML && !attached:
		text, err := m.text(e)
		m.texts = append(m.texts, body{html: text})
		return err
	case (e.kind == extract.TypePlain || strings.HasPrefix(e.kind, "multipart/")) && !attached:
		text, err := m.text(e)
		m.texts = append(m.texts, body{plain: text})
		return err
	case e.fileName() != "" && (attached || !strings.HasPrefix(e.kind, "image/")): // pictures in the text are none
		m.attachments = append(m.attachments, attachment{e.fileName(), e})
	case attached:
		m.attachments = append(m.attachments, attachment{e.kind, e})
	}
	return nil
}

// text is an entity's content as text; what had to be replaced is noted.
func (m *content) text(e entity) (string, error) {
	text, report, err := extract.DecodeDeclared(e.content(), e.params["charset"])
	for _, note := range report.Notes {
		m.b.Note("%s", note)
	}
	return text, err
}

// alternative gathers parts that say the same.
func (m *content) alternative(parts []entity, depth int) error {
	all := content{writer: m.writer}
	for _, p := range parts {
		if err := all.sort(p, depth+1); err != nil {
			return err
		}
	}
	var both body
	for _, t := range all.texts {
		if both.plain == "" {
			both.plain = t.plain
		}
		if both.html == "" {
			both.html = t.html
		}
	}
	m.texts = append(m.texts, both)
	m.attachments = append(m.attachments, all.attachments...)
	m.forwards = append(m.forwards, all.forwards...)
	return nil
}

// write writes the texts: as HTML where the plain one is but a hint that there
// is another.
func (m *content) write() error {
	for _, t := range m.texts {
		if t.html == "" {
			m.plain(t.plain)
			continue
		}
		if strings.TrimSpace(t.plain) != "" {
			trial := extract.NewBuilder(extract.TypeHTML)
			if err := web.Append(m.ctx, trial, []byte(t.html)); err != nil {
				return err
			}
			if len(strings.TrimSpace(t.plain))*3 >= trial.Len() {
				m.b.Report.Hidden += trial.Report.Hidden
				m.plain(t.plain)
				continue
			}
		}
		if err := web.Append(m.ctx, m.b, []byte(t.html)); err != nil {
			return err
		}
	}
	return nil
}

// plain writes plain text: paragraphs between empty lines, what others wrote
// (lines after ">") as quotations.
func (w *writer) plain(text string) {
	var lines []string
	quoted := false
	flush := func() {
		if quoted {
			w.b.Quote(strings.Join(lines, "\n"))
		} else {
			w.b.Paragraph(strings.Join(lines, "\n"))
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		is := strings.HasPrefix(line, ">")
		if line == "" || is != quoted {
			flush()
		}
		quoted = is
		lines = append(lines, strings.TrimLeft(line, "> "))
	}
	flush()
}

// head is what a message says of itself, for readers and for searches.
func head(e *entity, attachments []string) string {
	var lines []string
	for _, key := range []string{"From", "To", "Cc", "Date"} {
		if v := e.field(key); v != "" {
			lines = append(lines, key+": "+v)
		}
	}
	if len(attachments) > 0 {
		lines = append(lines, "Attachments: "+strings.Join(attachments, ", "))
	}
	return strings.Join(lines, "\n")
}

// metadata is what can be filtered by.
func metadata(e *entity) corpus.Metadata {
	m := corpus.Metadata{}
	for _, key := range []string{"subject", "from"} {
		if v := e.field(key); v != "" {
			m[key] = v
		}
	}
	for _, key := range []string{"to", "cc"} {
		if list := addresses(e.field(key)); len(list) > 0 {
			m[key] = list
		}
	}
	if t, err := mail.ParseDate(e.header["date"]); err == nil {
		m["date"] = t.UTC().Format(time.RFC3339)
	}
	return m
}

// addresses divides a list of addresses; one that is not well formed stays
// whole.
func addresses(field string) []string {
	if field == "" {
		return nil
	}
	parsed, err := mail.ParseAddressList(field)
	if err != nil {
		return []string{field}
	}
	var list []string
	for _, a := range parsed[:min(len(parsed), corpus.MaxMetadataValues)] {
		if a.Name == "" {
			list = append(list, a.Address)
		} else {
			list = append(list, a.Name+" <"+a.Address+">")
		}
	}
	return list
}
