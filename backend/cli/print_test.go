package cli

import (
	"testing"

	"ibid/backend/api"
)

func TestPlain(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"paragraphs":    {"one\n\n\ttwo", "one two"},
		"indented":      {"one,\n   two", "one, two"},
		"between marks": {"\n\ntwo", " two"},
		"spaces stay":   {"a  b.md", "a  b.md"},
		"escapes":       {"a\x1b[31mb", "a\ufffd[31mb"},
		"bidi override": {"a\u202egpj.exe", "a\ufffdgpj.exe"},
		"emoji":         {"🦊 über", "🦊 über"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plain(c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := number(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// A run tells how far it is, where it is, and that it stands still (S41, S44).
func TestProgressText(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    api.Progress
		want string
	}{
		{"scan", api.Progress{Stage: "scan", Current: "a/b.md"}, "scan  a/b.md"},
		{"documents", api.Progress{Stage: "extract", Documents: 1500, DocumentsOf: 3000, Current: "b.pdf"}, "██████████░░░░░░░░░░ 1,500/3,000 documents · b.pdf"},
		{"passages", api.Progress{Stage: "embed", Documents: 9, DocumentsOf: 9, Chunks: 10, ChunksOf: 40, ChunksPerSec: 18, SecondsToGo: 200}, "█████░░░░░░░░░░░░░░░ 10/40 passages · 18/s · 3 min to go"},
		{"stands still", api.Progress{Stage: "extract", Documents: 1, DocumentsOf: 2, Current: "b.pdf", SecondsStill: 60}, "██████████░░░░░░░░░░ 1/2 documents · b.pdf · nothing has moved for 60 s"},
		{"a scan stands still", api.Progress{Stage: "scan", SecondsStill: 90}, "scan · nothing has moved for 2 min"},
		{"a name with control characters", api.Progress{Stage: "scan", Current: "a\x1b[2Jb"}, "scan  a\ufffd[2Jb"},
	} {
		if got := progressText(tt.p); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
