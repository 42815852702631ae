package extract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

// extractorFunc is an extractor made of a function.
type extractorFunc func(Input) (*corpus.Extraction, error)

func (f extractorFunc) Extract(_ context.Context, in Input) (*corpus.Extraction, error) { return f(in) }

func TestRegistryRoutes(t *testing.T) {
	named := func(name string) Extractor {
		return extractorFunc(func(in Input) (*corpus.Extraction, error) {
			return &corpus.Extraction{Type: in.Type, Title: name}, nil
		})
	}
	r := NewRegistry(append(Builtin(),
		Route{Types: []string{"text/x-*"}, Version: "family/1", Extractor: named("family")},
		Route{Types: []string{"text/x-go"}, Version: "type/1", Extractor: named("type")},
		Route{Types: []string{".log"}, Version: "extension/1", Extractor: named("extension")},
		Route{Types: []string{"application/pdf"}, Version: "pdf/1", Extractor: named("pdf")},
	)...)
	tests := []struct{ file, data, title, version string }{
		{"a.py", "x", "family", "family/1"},
		{"a.go", "x", "type", "type/1"},
		{"a.LOG", "x", "extension", "extension/1"},
		{"a.txt", "x", "", "text/1"},
		{"a.txt", "%PDF-1.4", "pdf", "pdf/1"},
		{"a.md", "# x", "x", "markdown/1"},
		{"a.csv", "x", "", "text/1"},
	}
	for _, test := range tests {
		doc, err := r.Extract(t.Context(), Input{Name: test.file, Data: []byte(test.data)})
		if err != nil || doc.Title != test.title {
			t.Errorf("%s: got %+v, %v; want %q", test.file, doc, err, test.title)
			continue
		}
		if got := r.Version(test.file, doc.Type); got != test.version {
			t.Errorf("%s: version %s, want %s", test.file, got, test.version)
		}
	}
}

func TestRegistryUnsupported(t *testing.T) {
	r := NewRegistry(Builtin()...)
	tests := []struct{ file, data, says string }{
		{"a.txt", "%PDF-1.4", "PDF: not supported"},
		{"a.md", "\x89PNG\r\n\x1a\n\x00", "PNG image: not supported"},
		{"a.docx", zipped(t, "[Content_Types].xml", "word/document.xml"), "Word (DOCX): not supported"},
		{"a.bin", "\x00\x01\x02\x03", "binary file: not supported"},
		{"a.html", "<p>", "HTML: not supported"},
		{"a.gz", "\x1f\x8b\x08\x00\x00", "application/x-gzip: not supported"},
	}
	for _, test := range tests {
		doc, err := r.Extract(t.Context(), Input{Name: test.file, Data: []byte(test.data)})
		if !errors.Is(err, corpus.ErrUnsupported) || !strings.HasPrefix(err.Error(), test.says) {
			t.Errorf("%s: got %+v, %v; want %q", test.file, doc, err, test.says)
		}
	}
	if got := r.Version("a.pdf", TypePDF); got != "none" {
		t.Errorf("version of a type without extractor is %q", got)
	}
}

func TestRegistryContainsExtractors(t *testing.T) {
	broken := errors.New("torn page")
	r := NewRegistry(
		Route{Types: []string{".panic"}, Version: "p/1", Extractor: extractorFunc(func(Input) (*corpus.Extraction, error) { panic("boom") })},
		Route{Types: []string{".error"}, Version: "e/1", Extractor: extractorFunc(func(Input) (*corpus.Extraction, error) { return nil, broken })},
		Route{Types: []string{".lies"}, Version: "l/1", Extractor: extractorFunc(func(in Input) (*corpus.Extraction, error) {
			return &corpus.Extraction{Text: "words in no block", Type: in.Type}, nil
		})},
	)
	for file, says := range map[string]string{"a.panic": "boom", "a.error": "torn page", "a.lies": "in no block"} {
		doc, err := r.Extract(t.Context(), Input{Name: file, Data: []byte("x")})
		if err == nil || doc != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %+v, %v; want %q", file, doc, err, says)
		}
	}
	if _, err := r.Extract(t.Context(), Input{Name: "a.error"}); !errors.Is(err, broken) {
		t.Errorf("%v does not wrap the extractor's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Extract(ctx, Input{Name: "a.error"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}

func TestValidate(t *testing.T) {
	block := func(start, end int) corpus.Block {
		return corpus.Block{Kind: corpus.BlockParagraph, Start: start, End: end}
	}
	tests := []struct {
		name   string
		doc    corpus.Extraction
		broken string // "" is valid
	}{
		{"empty", corpus.Extraction{}, ""},
		{"markup between blocks", corpus.Extraction{Text: "a\n---\nb", Blocks: []corpus.Block{block(0, 1), block(6, 7)}}, ""},
		{"invalid text", corpus.Extraction{Text: "\xff"}, "UTF-8"},
		{"carriage return", corpus.Extraction{Text: "\r"}, "carriage"},
		{"word before", corpus.Extraction{Text: "a b", Blocks: []corpus.Block{block(2, 3)}}, "in no block"},
		{"word after", corpus.Extraction{Text: "a ١", Blocks: []corpus.Block{block(0, 1)}}, "in no block"},
		{"empty block", corpus.Extraction{Text: "a", Blocks: []corpus.Block{block(0, 0), block(0, 1)}}, "range"},
		{"overlap", corpus.Extraction{Text: "abc", Blocks: []corpus.Block{block(0, 2), block(1, 3)}}, "range"},
		{"beyond the end", corpus.Extraction{Text: "abc", Blocks: []corpus.Block{block(0, 4)}}, "range"},
		{"half a character", corpus.Extraction{Text: "ä", Blocks: []corpus.Block{block(0, 1), block(1, 2)}}, "divides"},
		{"heading without level", corpus.Extraction{Text: "a", Blocks: []corpus.Block{{Kind: corpus.BlockHeading, End: 1}}}, "level"},
		{"header beyond the block", corpus.Extraction{Text: "a\nb", Blocks: []corpus.Block{{Kind: corpus.BlockTable, End: 3, Header: 4}}}, "header"},
		{"half a line as header", corpus.Extraction{Text: "a\nb", Blocks: []corpus.Block{{Kind: corpus.BlockTable, End: 3, Header: 1}}}, "header"},
		{"lines before the first", corpus.Extraction{Text: "a", FirstLine: 4, Blocks: []corpus.Block{{Kind: corpus.BlockCode, End: 1, Anchor: corpus.Anchor{LineStart: 3, LineEnd: 3}}}}, "lines"},
		{"reserved metadata", corpus.Extraction{Metadata: corpus.Metadata{"tenant": "x"}}, "reserved"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.doc.Type = TypePlain
			err := Validate(&test.doc)
			if (err == nil) != (test.broken == "") || err != nil && !strings.Contains(err.Error(), test.broken) {
				t.Errorf("got %v, want %q", err, test.broken)
			}
		})
	}
	if Validate(&corpus.Extraction{}) == nil {
		t.Error("a missing type is valid")
	}
}
