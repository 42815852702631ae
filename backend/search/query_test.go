package search

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

func TestParse(t *testing.T) {
	notes := corpus.DeriveID(corpus.NoID, "notes")
	reading := Reading{
		Sources: []corpus.Source{{ID: notes, Name: "My Notes"}},
		Zone:    time.FixedZone("", 2*3600),
	}
	in := func(field string, v ...any) store.Condition {
		return store.Condition{Field: field, Op: store.In, Values: v}
	}
	tests := []struct {
		name, text string
		want       Query
	}{
		{"words", "  lift  of wings ", Query{Text: "lift of wings"}},
		{"phrase", `the "boundary layer" here`, Query{Text: "the boundary layer here", Must: []string{"boundary layer"}}},
		{"typographic quotes", `“boundary layer” „zwei Wörter“`, Query{Text: "boundary layer zwei Wörter", Must: []string{"boundary layer", "zwei Wörter"}}},
		{"excluded", `wing -flap -"trailing edge"`, Query{Text: "wing", Not: []string{"flap", "trailing edge"}}},
		{"only excluded is typed words", "-verbose", Query{Text: "verbose"}},
		{"number below zero", "-5 degrees", Query{Text: "-5 degrees"}},
		{"option", "--force flag", Query{Text: "--force flag"}},
		{"hyphen inside", "well-known e-mail", Query{Text: "well-known e-mail"}},
		{"lone quotes", `5" pipe "open`, Query{Text: `5" pipe "open`}},
		{"empty quotes", `"" x`, Query{Text: `"" x`}},
		{"scopes", "std::vector foo::bar", Query{Text: "std::vector foo::bar"}},
		{"address", "https://example.com/a:b", Query{Text: "https://example.com/a:b"}},
		{"drive and time", `C:\x 10:30 a:b`, Query{Text: `C:\x 10:30 a:b`}},
		{"programming languages", "C++ vs C#", Query{Text: "C++ vs C#"}},
		{"colon before a space", "Note: this", Query{Text: "Note: this"}},
		{"path", "x path:docs/ path:/abs", Query{Text: "x", Filter: store.Filter{
			{Field: "path", Op: store.Prefix, Values: []any{"docs/"}}, {Field: "path", Op: store.Prefix, Values: []any{"/abs"}},
		}}},
		{"title in quotes", `title:"Annual report" x`, Query{Text: "x", Filter: store.Filter{{Field: "title", Op: store.Prefix, Values: []any{"Annual report"}}}}},
		{"types are joined", "x type:pdf TYPE:text/markdown", Query{Text: "x", Filter: store.Filter{in("type", "application/pdf", "text/markdown")}}},
		{"unknown type is words", "x type:strange", Query{Text: "x type:strange", Notes: []string{
			`there is no type "strange": read as words; types are ` + strings.Join(TypeNames(), ", ") + ", or a media type such as text/plain",
		}}},
		{"language", "lang:DE x", Query{Text: "x", Filter: store.Filter{in("language", "de")}}},
		{"source", `source:"my notes" x`, Query{Text: "x", Filter: store.Filter{in("source", notes.String())}}},
		{"unknown source is words", "source:reuters", Query{Text: "source:reuters", Notes: []string{`no source is named "reuters": read as words; sources are My Notes`}}},
		{"unknown language is words", "lang:german x", Query{Text: "lang:german x", Notes: []string{`"german" is no language: read as words; a language has two letters, such as de`}}},
		{"time", "after:2025-03 before:2025-04-01 x", Query{Text: "x", Filter: store.Filter{
			{Field: "modified", Op: store.Range, Values: []any{"2025-02-28T22:00:00Z", nil}},
			{Field: "modified", Op: store.Range, Values: []any{nil, "2025-03-31T21:59:59.999999999Z"}},
		}}},
		{"no date is words", "after:lunch", Query{Text: "after:lunch", Notes: []string{`"lunch" is no date: read as words; use ` + DateForms}}},
		{"not after a date is words", "-after:2025 x", Query{Text: "x", Not: []string{"after:2025"}, Notes: []string{"a minus before after: means nothing: read as words"}}},
		{"path as hits show it", `path:"my notes/a.md" x`, Query{Text: "x", Sourced: true, Filter: store.Filter{{Field: "path", Op: store.Prefix, Values: []any{"my notes/a.md"}}}}},
		{"not a type", "x -type:pdf", Query{Text: "x", Filter: store.Filter{{Field: "type", Op: store.Not, Values: []any{"application/pdf"}}}}},
		{"metadata", "x author:Ann year:2024 draft:true", Query{Text: "x", Guessed: store.Filter{
			in("author", "Ann"), in("year", "2024", 2024.0), in("draft", "true", true),
		}}},
		{"not a value", "x -author:Ann", Query{Text: "x", Guessed: store.Filter{{Field: "author", Op: store.Not, Values: []any{"Ann"}}}}},
		{"fields of the record that are no fields here", "document:x modified:1", Query{Text: "document:x modified:1"}},
		{"nothing", "", Query{}},
		{"only a filter", "type:pdf", Query{Filter: store.Filter{in("type", "application/pdf")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.text, reading)); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSourced(t *testing.T) {
	notes := corpus.DeriveID(corpus.NoID, "notes")
	reading := Reading{Sources: []corpus.Source{{ID: notes, Name: "My Notes"}}, Sourced: true}
	source := store.Condition{Field: "source", Op: store.Eq, Values: []any{notes.String()}}
	prefix := func(path string) store.Condition {
		return store.Condition{Field: "path", Op: store.Prefix, Values: []any{path}}
	}
	for text, want := range map[string]Query{
		`x path:"my notes/docs/a*"`: {Text: "x", Sourced: true, Filter: store.Filter{source, prefix("docs/a")}},
		`x path:"My Notes/"`:        {Text: "x", Sourced: true, Filter: store.Filter{source}},
		`x path:"My Notes"`:         {Text: "x", Filter: store.Filter{prefix("My Notes")}},
		`x path:docs/a`:             {Text: "x", Filter: store.Filter{prefix("docs/a")}},
	} {
		if diff := cmp.Diff(want, Parse(text, reading)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestParsePlain(t *testing.T) {
	want := Query{Text: "error:timeout", Filter: store.Filter{{Field: "type", Op: store.In, Values: []any{"application/pdf"}}}}
	if diff := cmp.Diff(want, Parse("error:timeout type:pdf", Reading{Plain: true})); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`a "b c" -d -"e f" path:x type:pdf after:2025 k:v`, `"`, `-`, `:`, `a:`, `-"`, `title:"`, "\xff:\xfe", `path:"a`, `x:inf y:nan`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := Parse(text, Reading{})
		for _, filter := range []store.Filter{q.Filter, q.Guessed} {
			if len(filter) > corpus.MaxFilterFields {
				continue // refused with a reason later
			}
			for _, c := range filter {
				if len(c.Values) > corpus.MaxFilterValues {
					return
				}
			}
			if err := filter.Validate(); err != nil {
				t.Fatalf("filter of %q: %v", text, err)
			}
		}
		if !utf8.ValidString(q.Text) {
			t.Fatalf("text %q", q.Text)
		}
		// Every word comes out somewhere.
		if strings.TrimSpace(text) != "" && q.Text == "" && len(q.Filter)+len(q.Guessed) == 0 {
			t.Fatalf("nothing is left of %q", text)
		}
	})
}
