package cli

import (
	"slices"
	"strings"
	"testing"

	"ibid/backend/api"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		name  string
		text  string
		limit int
		want  []string
	}{
		{"nothing", " ", 10, nil},
		{"fits", "one two", 10, []string{"one two"}},
		{"between words", "one two three", 7, []string{"one two", "three"}},
		{"a long word", "a abcdefgh b", 4, []string{"a", "abcd", "efgh", "b"}},
		{"wide characters", "東京都庁", 4, []string{"東京", "都庁"}},
		{"narrower than a character", "東京", 1, []string{"東", "京"}},
	}
	for _, tt := range tests {
		if got := wrap(tt.text, tt.limit); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzWrap: no line is wider than it may be, and no character is lost.
func FuzzWrap(f *testing.F) {
	f.Add("some words, 東京都庁, and averyverylongonewithoutaspace", 9)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		text = strings.ToValidUTF8(text, "?")
		limit = 2 + (limit&0xff)%100
		lines := wrap(text, limit)
		for _, l := range lines {
			if columns(l) > limit {
				t.Errorf("%q has %d columns, limit %d", l, columns(l), limit)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := bare(strings.Join(lines, "")); got != bare(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestContrast(t *testing.T) {
	many := func(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	tests := []struct{ name, before, after, wantBefore, wantAfter string }{
		{"nothing in common", "a b", "c d", "a b", "c d"},
		{"little in common", "a b c", "a x c", "a b c", "a x c"},
		{"equal", "a b", "a b", "a b", "a b"},
		{
			"much before and after", many("h", 20) + " old " + many("t", 30), many("h", 20) + " new word " + many("t", 30),
			"(12 words as before) … " + many("h", 8) + " old " + many("t", 8) + " … (22 more, as before)",
			"(12 words as before) … " + many("h", 8) + " new word " + many("t", 8) + " … (22 more, as before)",
		},
		{"only more", many("h", 20), many("h", 20) + " more", "(12 words as before) … " + many("h", 8), "(12 words as before) … " + many("h", 8) + " more"},
	}
	for _, tt := range tests {
		if b, a := contrast(tt.before, tt.after); b != tt.wantBefore || a != tt.wantAfter {
			t.Errorf("%s: %q and %q", tt.name, b, a)
		}
	}
}

func TestDiffOnANarrowTerminal(t *testing.T) {
	var out strings.Builder
	g := &globals{streams: Streams{Out: &out}}
	g.printDiffRow(api.DiffRow{
		Kind: "changed", Count: 1,
		Old: &api.DiffPassage{Text: "the price is\n12 euros", Location: api.Location{Label: "p. 3"}},
		New: &api.DiffPassage{Text: "the price is 14 euros, and no \x1b[31mless", Tokens: 12, Location: api.Location{Label: "p. 3"}},
	}, 24)
	want := `  − p. 3
  − the price is 12
  − euros
  + p. 3, 12 tokens
  + the price is 14
  + euros, and no
  + ` + "\uFFFD" + `[31mless
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// TestExitCodes: apply tells a run that did nothing from one that ended early
// after it had done something (a disk that filled, a lost connection).
func TestExitCodes(t *testing.T) {
	full := &api.Error{Code: api.CodeUnavailable, Message: "no space left on the library's disk", Hint: "What was done stays"}
	tests := []struct {
		name string
		run  api.Run
		want int
	}{
		{"done", api.Run{State: api.RunDone}, exitOK},
		{"partial", api.Run{State: api.RunPartial}, exitPartial},
		{"canceled", api.Run{State: api.RunCanceled}, exitInterrupted},
		{"failed before anything", api.Run{State: api.RunFailed, Error: full}, exitFailure},
		{"the disk filled", api.Run{State: api.RunFailed, Error: full, Summary: api.RunSummary{Added: 3}}, exitPartial},
		{"failed for no known reason", api.Run{State: api.RunFailed}, exitFailure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, said strings.Builder
			g := &globals{streams: Streams{Out: &out, Err: &said}}
			code := exitOK
			if err := g.printRun(tt.run); err != nil {
				code = exitCode(t.Context(), err)
				if tt.run.Error != nil {
					g.reportError(err)
				}
			}
			if code != tt.want {
				t.Errorf("exit code %d, want %d", code, tt.want)
			}
			if tt.want == exitFailure && out.Len() > 0 {
				t.Errorf("a run that did nothing tells what it did: %s", &out)
			}
			if n := strings.Count(out.String()+said.String(), full.Message); tt.run.Error != nil && n != 1 {
				t.Errorf("the cause is told %d times:\n%s%s", n, &out, &said)
			}
		})
	}
}
