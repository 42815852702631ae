package xmlwalk

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"ibid/backend/corpus"
)

// trace shows what Mixed gives: elements with what f left of them, texts.
func trace(t *testing.T, source string) (string, error) {
	t.Helper()
	var b strings.Builder
	err := Walk(t.Context(), strings.NewReader(source), func(w *Walker, root Element) error {
		b.WriteString(root.Name + ":")
		return w.Mixed(func(s string) { b.WriteString("'" + s + "'") }, func(e Element) error {
			b.WriteString("<" + e.Name + ">")
			if e.Name == "text" {
				s, err := w.Text()
				b.WriteString("[" + s + "]")
				return err
			}
			return nil
		})
	})
	return b.String(), err
}

func TestWalk(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`<?xml version="1.0" encoding="UTF-16"?><a>é</a>`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, source, want string }{
		{"skips what is not read", `<a>x<b><c>y<d/></c></b>z</a>`, "a:'x'<b>'z'"},
		{"text of all within", `<a><text>x<b>y</b>z</text></a>`, "a:<text>[xyz]"},
		{"prolog", `<?xml version="1.0"?><!-- c --><!DOCTYPE a><a/>`, "a:"},
		{"UTF-16", utf16, "a:'é'"},
		{"Windows-1252", "<?xml version='1.0' encoding='windows-1252'?><a>\xe9</a>", "a:'é'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := trace(t, tt.source); err != nil || got != tt.want {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAttributes(t *testing.T) {
	source := `<a xmlns:r="http://x/relationships" id="1" r:id="2"/>`
	err := Walk(t.Context(), strings.NewReader(source), func(_ *Walker, root Element) error {
		if root.Attr("id") != "1" || root.AttrIn("relationships", "id") != "2" || root.Attr("no") != "" || !root.Has("id") || root.Has("no") {
			t.Errorf("%+v", root)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefuses(t *testing.T) {
	tests := []struct {
		name, source string
		want         error // nil: any
	}{
		{"depth", strings.Repeat("<a>", 200_000), corpus.ErrLimit},
		{"nothing", "", io.ErrUnexpectedEOF},
		{"cut off", "<a><b>", nil},
		{"wrong end", "<a></b>", nil},
		{"entities", `<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><a>&z;</a>`, nil},
		{"external entity", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`, nil},
		{"unknown encoding", "<?xml version='1.0' encoding='rot13'?><a/>", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := trace(t, tt.source)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	deepest := strings.Repeat("<a>", MaxDepth) + strings.Repeat("</a>", MaxDepth)
	if _, err := trace(t, deepest); err != nil {
		t.Errorf("depth %d: %v", MaxDepth, err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Walk(ctx, strings.NewReader("<a>"+strings.Repeat("<b/>", 2000)+"</a>"), func(w *Walker, _ Element) error {
		return w.Children(func(Element) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
