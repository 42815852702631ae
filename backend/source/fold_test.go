package source

import (
	"strings"
	"testing"
)

func TestFoldKey(t *testing.T) {
	for _, pair := range [][2]string{{"Read Me.md", "rEAD mE.MD"}, {"ÄÖÜ/Straße", "äöü/straße"}, {"ЁЖ", "ёж"}, {"ΑΩ", "αω"}} {
		if FoldKey(pair[0]) != FoldKey(pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"i", "ı"}, {"s", "ſ"}, {"k", "\u212a"}, {"ss", "ß"}, {"caf\u00e9", "cafe\u0301"}, {"a", "b"},
	} {
		if FoldKey(pair[0]) == FoldKey(pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

func FuzzFoldKey(f *testing.F) {
	for _, s := range []string{"Read Me.md", "ǅ", "ß", "\u212a", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if key := FoldKey(s); FoldKey(key) != key {
			t.Errorf("%q folds to %q and then to %q", s, key, FoldKey(key))
		}
	})
}

func TestSwapCase(t *testing.T) {
	if got := swapCase("aB1ä-Z"); got != "Ab1ä-z" || !strings.EqualFold(got, "aB1ä-Z") {
		t.Errorf("got %q", got)
	}
}
