package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxIngestBytes bounds a request of documents as JSON: 50,000,000 characters in
// whatever script.
const MaxIngestBytes = 268435456 // 256 MiB

// IngestRequest takes documents in that are in no file, all of them or none.
// Bounds: 1,000 documents, 50,000,000 characters of text and 10,000 passages a
// request, 10,000,000 characters a document.
type IngestRequest struct {
	Source    string           `json:"source,omitempty"` // name of the inline source, made if there is none; default "inline"
	Documents []IngestDocument `json:"documents"`
	RunID     string           `json:"run_id,omitempty"` // for progress events and cancel
}

// IngestDocument is one document. One of the same id is replaced.
type IngestDocument struct {
	ID string `json:"id"` // what the caller calls it; shown as its path
	// Title is embedded with every passage; left out: the text's own, else the id.
	Title string `json:"title,omitempty"`
	URI   string `json:"uri,omitempty"`  // where it is from
	Type  string `json:"type,omitempty"` // text/plain (default) or text/markdown
	Text  string `json:"text"`
	// Metadata are labels to filter by: texts, numbers, booleans and lists of
	// texts, at most 64.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// IngestResponse says what was done.
type IngestResponse struct {
	Source    Source          `json:"source"`
	Documents []IngestOutcome `json:"documents"` // in the order of the request
	Added     int             `json:"added"`
	Updated   int             `json:"updated"`
	Labelled  int             `json:"labelled"` // only labels changed
	Unchanged int             `json:"unchanged"`
	Embedded  int             `json:"embedded"` // passages that got a new vector
	Reused    int             `json:"reused"`   // passages that found one
	Notes     []string        `json:"notes"`
}

// IngestOutcome is what became of one document.
type IngestOutcome struct {
	ID       string `json:"id"`       // the caller's
	Document string `json:"document"` // the library's id
	Outcome  string `json:"outcome"`  // added, updated, labelled, unchanged
}

// DeleteDocumentsRequest removes inline documents, at most 1,000, all or none.
type DeleteDocumentsRequest struct {
	Source string   `json:"source,omitempty"` // name or id of the inline source; default "inline"
	IDs    []string `json:"ids"`              // what the caller calls them
}

// DeleteDocumentsResponse says what went.
type DeleteDocumentsResponse struct {
	Deleted int      `json:"deleted"`
	Unknown []string `json:"unknown"` // ids of no document
}

// UnmarshalJSON reads a document strictly: every field at most once, no unknown
// ones, texts in valid UTF-8, metadata flat.
func (d *IngestDocument) UnmarshalJSON(data []byte) error {
	switch {
	case !utf8.Valid(data):
		return errors.New("a document is not valid UTF-8")
	case halfPair(data):
		return errors.New("a document holds half of a surrogate pair")
	}
	*d = IngestDocument{}
	texts := map[string]*string{"id": &d.ID, "title": &d.Title, "uri": &d.URI, "type": &d.Type, "text": &d.Text}
	return object(data, "a document", func(dec *json.Decoder, key string) (err error) {
		if key == "metadata" {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return err
			}
			d.Metadata, err = metadata(raw)
			return err
		}
		into, ok := texts[key]
		if !ok {
			return fmt.Errorf("a document has the unknown field %q; it has id, title, uri, type, text and metadata", key)
		}
		token, err := dec.Token()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("a document's %s is no text", key)
		}
		*into = text
		return nil
	})
}

// halfPair reports an escape \uD800 to \uDFFF without its other half, which
// the decoder would silently replace.
func halfPair(data []byte) bool {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		high := escaped(data[i:])
		switch {
		case high < 0: // another escape, of two bytes
			i++
			continue
		case !utf16.IsSurrogate(high):
			i += 5
			continue
		}
		if utf16.DecodeRune(high, escaped(data[min(len(data), i+6):])) == utf8.RuneError {
			return true
		}
		i += 11
	}
	return false
}

// escaped reads \uXXXX at the beginning of data; -1 if it is none.
func escaped(data []byte) rune {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// object calls field for every field of a JSON object; it reads the value.
func object(data []byte, what string, field func(dec *json.Decoder, key string) error) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("%s is no JSON object", what)
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // a key is always text
		if seen[key] {
			return fmt.Errorf("%s has the field %q twice", what, key)
		}
		seen[key] = true
		if err := field(dec, key); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// maxExact is the largest integer up to which float64 holds every one.
const maxExact = 1 << 53

// metadata reads labels: texts, numbers, booleans and lists of texts.
func metadata(data []byte) (map[string]any, error) {
	m := map[string]any{}
	err := object(data, "metadata", func(dec *json.Decoder, key string) error {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch v := token.(type) {
		case string, bool:
			m[key] = v
		case json.Number:
			n, err := v.Float64()
			if err != nil || math.IsInf(n, 0) {
				return fmt.Errorf("metadata %q is not a finite number", key)
			}
			whole, err := v.Int64()
			if !strings.ContainsAny(v.String(), ".eE") && (err != nil || whole > maxExact || whole < -maxExact) {
				return fmt.Errorf("metadata %q is a number of more digits than can be kept; make it a text", key)
			}
			m[key] = n
		case json.Delim:
			if v != '[' {
				return fmt.Errorf("metadata %q is nested; use texts, numbers, booleans or lists of texts", key)
			}
			list := []string{}
			for dec.More() {
				item, err := dec.Token()
				if err != nil {
					return err
				}
				text, ok := item.(string)
				if !ok {
					return fmt.Errorf("metadata %q is a list of other things than texts", key)
				}
				list = append(list, text)
			}
			if _, err := dec.Token(); err != nil {
				return err
			}
			m[key] = list
		default:
			return fmt.Errorf("metadata %q has no value", key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// ReadDocuments reads documents as JSON: one array of them, or one after
// another, as JSON lines are. Errors name the document by its place.
func ReadDocuments(data []byte) ([]IngestDocument, error) {
	docs := []IngestDocument{}
	dec := json.NewDecoder(bytes.NewReader(data))
	array := bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("["))
	if array {
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
	}
	for !array || dec.More() {
		var d IngestDocument
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) && !array {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d (line %d): %w", len(docs)+1, 1+bytes.Count(data[:dec.InputOffset()], []byte("\n")), err)
		}
		docs = append(docs, d)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the list of documents does not end: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the list of documents")
	}
	return docs, nil
}
