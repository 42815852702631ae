package cli

import "testing"

func TestPlain(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"paragraphs":    {"one\n\n\ttwo", "one two"},
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
