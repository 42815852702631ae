package ingest_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/ingest"
)

// labels makes n fields.
func labels(n int) corpus.Metadata {
	m := corpus.Metadata{}
	for i := range n {
		m[fmt.Sprint("field", i)] = float64(i)
	}
	return m
}

func TestCheckInline(t *testing.T) { // E6, A9
	long := strings.Repeat("ä", corpus.MaxTextCharacters)
	one := func(edit func(d *ingest.Inline)) []ingest.Inline {
		d := ingest.Inline{ID: "manual", Text: "some text"}
		edit(&d)
		return []ingest.Inline{d}
	}
	label := func(m corpus.Metadata) []ingest.Inline { return one(func(d *ingest.Inline) { d.Metadata = m }) }
	uri := func(s string) []ingest.Inline { return one(func(d *ingest.Inline) { d.URI = s }) }
	id := func(s string) []ingest.Inline { return one(func(d *ingest.Inline) { d.ID = s }) }
	many := func(n int, text string) (docs []ingest.Inline) {
		for i := range n {
			docs = append(docs, ingest.Inline{ID: fmt.Sprint("d", i), Text: text})
		}
		return docs
	}
	for _, test := range []struct {
		name string
		docs []ingest.Inline
		err  error
		say  string
	}{
		{"smallest", id("x"), nil, ""},
		{"all of it", []ingest.Inline{{
			ID: "guides/2026 – Größe.md", Title: "A title", URI: "https://example.org/a?b#c", Type: extract.TypeMarkdown, Text: "# T",
			Metadata: corpus.Metadata{"kind": "manual", "year": 2026., "draft": false, "tags": []string{"a", "b"}},
		}}, nil, ""},
		{"none", nil, corpus.ErrInvalid, "no documents"},
		{"a thousand", many(corpus.MaxIngestDocuments, "x"), nil, ""},
		{"a thousand and one", many(corpus.MaxIngestDocuments+1, "x"), corpus.ErrLimit, "1001 documents in one request, at most 1000"},
		{"longest text", one(func(d *ingest.Inline) { d.Text = long }), nil, ""},
		{"one more", one(func(d *ingest.Inline) { d.Text = long + "x" }), corpus.ErrLimit, `document "manual": limit exceeded: its text has 10000001 characters, at most 10000000`},
		{"five of the longest", many(5, long), nil, ""},
		{"and one more character", append(many(5, long), ingest.Inline{ID: "last", Text: "x"}), corpus.ErrLimit, `document "last": limit exceeded: with it the request has more than 50000000 characters`},
		{"no id", append(many(2, "x"), ingest.Inline{Text: "x"}), corpus.ErrInvalid, "document 3: invalid input: it has no id"},
		{"blank id", id("  "), corpus.ErrInvalid, "no id"},
		{"id twice", []ingest.Inline{{ID: "a", Text: "x"}, {ID: "b", Text: "x"}, {ID: "a", Text: "y"}}, corpus.ErrInvalid, `document "a": invalid input: it stands twice, as documents 1 and 3`},
		{"id with white space", id("a "), corpus.ErrInvalid, "white space"},
		{"id of two lines", id("a\nb"), corpus.ErrInvalid, "control characters"},
		{"absolute id", id("/etc/passwd"), corpus.ErrInvalid, "begins with /"},
		{"id that leads up", id("a/../../b"), corpus.ErrInvalid, "leads out"},
		{"id not UTF-8", id("a\xff"), corpus.ErrInvalid, "not UTF-8"},
		{"long id", id(strings.Repeat("i", 1025)), corpus.ErrLimit, "1025 bytes, at most 1024"},
		{"id that is an address", id("https://example.org/a"), nil, ""},
		{"empty text", one(func(d *ingest.Inline) { d.Text = "" }), corpus.ErrInvalid, `document "manual": invalid input: its text is empty`},
		{"blank text", one(func(d *ingest.Inline) { d.Text = " \n\t\u2003" }), corpus.ErrInvalid, "its text is empty"},
		{"text with NUL", one(func(d *ingest.Inline) { d.Text = "a\x00b" }), corpus.ErrInvalid, "UTF-8 without NUL"},
		{"text not UTF-8", one(func(d *ingest.Inline) { d.Text = "a\xff" }), corpus.ErrInvalid, "UTF-8 without NUL"},
		{"title of two lines", one(func(d *ingest.Inline) { d.Title = "a\nb" }), corpus.ErrInvalid, "its title"},
		{"long title", one(func(d *ingest.Inline) { d.Title = strings.Repeat("t", 2049) }), corpus.ErrLimit, "its title"},
		{"other type", one(func(d *ingest.Inline) { d.Type = "text/html" }), corpus.ErrInvalid, "text/html"},
		{"urn", uri("urn:isbn:0451450523"), nil, ""},
		{"no scheme", uri("example.org/a"), corpus.ErrInvalid, "its uri is none"},
		{"program", uri("JavaScript:alert(1)"), corpus.ErrInvalid, "javascript:"},
		{"data", uri("data:text/html,x"), corpus.ErrInvalid, "data:"},
		{"password", uri("https://ada:secret@example.org/"), corpus.ErrInvalid, "holds a password"},
		{"long uri", uri("https://example.org/" + strings.Repeat("a", 2048)), corpus.ErrLimit, "its uri"},
		{"uri of two lines", uri("https://example.org/\n"), corpus.ErrInvalid, "its uri is none"},
		{"64 labels", label(labels(64)), nil, ""},
		{"65 labels", label(labels(65)), corpus.ErrLimit, `document "manual": limit exceeded: 65 metadata fields, at most 64`},
		{"100 values", label(corpus.Metadata{"tags": make([]string, 100)}), nil, ""},
		{"101 values", label(corpus.Metadata{"tags": make([]string, 101)}), corpus.ErrLimit, `metadata "tags" has 101 values, at most 100`},
		{"nested", label(corpus.Metadata{"a": map[string]any{"b": 1.}}), corpus.ErrInvalid, `metadata "a"`},
		{"list of numbers", label(corpus.Metadata{"a": []any{1.}}), corpus.ErrInvalid, `metadata "a"`},
		{"integer", label(corpus.Metadata{"a": 1}), corpus.ErrInvalid, `metadata "a"`},
		{"null", label(corpus.Metadata{"a": nil}), corpus.ErrInvalid, `metadata "a"`},
		{"infinite", label(corpus.Metadata{"a": math.Inf(1)}), corpus.ErrInvalid, "not a finite number"},
		{"not a number", label(corpus.Metadata{"a": math.NaN()}), corpus.ErrInvalid, "not a finite number"},
		{"tenant", label(corpus.Metadata{"tenant": "other"}), corpus.ErrInvalid, `"tenant" is reserved`},
		{"Tenant_ID", label(corpus.Metadata{"Tenant_ID": "other"}), corpus.ErrInvalid, `"Tenant_ID" is reserved`},
		{"document", label(corpus.Metadata{"document": "x"}), corpus.ErrInvalid, `"document" is reserved`},
		{"document_id", label(corpus.Metadata{"document_id": "x"}), corpus.ErrInvalid, "reserved"},
		{"source", label(corpus.Metadata{"Source": "x"}), corpus.ErrInvalid, "reserved"},
		{"field of the record", label(corpus.Metadata{"path": "x"}), corpus.ErrInvalid, "reserved"},
		{"uri as a label", label(corpus.Metadata{"uri": "javascript:x"}), corpus.ErrInvalid, "reserved"},
		{"empty key", label(corpus.Metadata{"": "x"}), corpus.ErrInvalid, "metadata key"},
		{"long value", label(corpus.Metadata{"a": strings.Repeat("x", 16_385)}), corpus.ErrLimit, `metadata "a"`},
		{"value not UTF-8", label(corpus.Metadata{"a": []string{"\xff"}}), corpus.ErrInvalid, `metadata "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ingest.CheckInline(test.docs)
			if !errors.Is(err, test.err) || err == nil && test.say != "" {
				t.Fatalf("error %v, want one wrapping %v", err, test.err)
			}
			if err != nil && !strings.Contains(err.Error(), test.say) {
				t.Errorf("error %q does not say %q", err, test.say)
			}
		})
	}
}

// FuzzCheckInline: no document panics, and what is accepted can be stored.
func FuzzCheckInline(f *testing.F) {
	f.Add("id", "title", "https://example.org", "text/plain", "text", "key", "value")
	f.Add("../x", "\x00", "javascript:x", "text/html", "\xff", "tenant", "\x00")
	f.Fuzz(func(t *testing.T, id, title, uri, mediaType, text, key, value string) {
		d := ingest.Inline{ID: id, Title: title, URI: uri, Type: mediaType, Text: text, Metadata: corpus.Metadata{key: value}}
		if ingest.CheckInline([]ingest.Inline{d}) != nil {
			return
		}
		for _, s := range []string{id, title, uri, text, key, value} {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				t.Errorf("%q was accepted", s)
			}
		}
		if strings.HasPrefix(id, "/") || strings.TrimSpace(text) == "" || len(id) == 0 {
			t.Errorf("id %q with text %q was accepted", id, text)
		}
	})
}
