package chunk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieceTexts returns the texts between marks at or above a level.
func pieceTexts(text string, marks []mark, least level) []string {
	var out []string
	start := 0
	for _, m := range marks {
		if m.level >= least {
			out = append(out, strings.TrimSpace(text[start:m.pos]))
			start = m.pos
		}
	}
	return append(out, strings.TrimSpace(text[start:]))
}

func TestSentences(t *testing.T) {
	long := "This line of a wrapped paragraph is long enough and"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"two", "One is here. Two is there.", []string{"One is here.", "Two is there."}},
		{"question and quote", "“Why?” Nobody knew. (Really!) Yes.", []string{"“Why?”", "Nobody knew.", "(Really!)", "Yes."}},
		{"small letter follows", "It is used, e.g. here, etc. and so on. End", []string{"It is used, e.g. here, etc. and so on.", "End"}},
		{"abbreviations", "Dr. Smith and J. S. Bach, see Fig. 3 and No. 7. Next", []string{"Dr. Smith and J. S. Bach, see Fig. 3 and No. 7.", "Next"}},
		{"numbers", "It costs 3.50 today. Version 1.2.3 is out. 2. Next", []string{"It costs 3.50 today.", "Version 1.2.3 is out.", "2.", "Next"}},
		{"number of a clause", "2. The supplier delivers. 2.1. Late deliveries are free.", []string{"2. The supplier delivers.", "2.1. Late deliveries are free."}},
		{"Chinese", "我来了。我看见了！“我胜利了。”然后呢？", []string{"我来了。", "我看见了！", "“我胜利了。”", "然后呢？"}},
		{"Japanese", "吾輩は猫である。名前はまだ無い。", []string{"吾輩は猫である。", "名前はまだ無い。"}},
		{"Hindi", "यह एक है। वह दो है।", []string{"यह एक है।", "वह दो है।"}},
		{"Arabic", "هل هذا واحد؟ نعم.", []string{"هل هذا واحد؟", "نعم."}},
		{"stops apart", "the flow is steady . the layer is thin .", []string{"the flow is steady .", "the layer is thin ."}},
		{"dots", "Wait… What? No", []string{"Wait…", "What?", "No"}},
		{"wrapped line", long + "\ngoes on. End", []string{long + "\ngoes on.", "End"}},
		{"wrapped line before a name", long + "\nJohn goes on.", []string{long + "\nJohn goes on."}},
		{"quoted lines", "> " + long + "\n> goes on.", []string{"> " + long + "\n> goes on."}},
		{
			"log", "Mar 3 10:00:00 host kernel: link is up on eth0\nMar 3 10:00:01 host kernel: link is down",
			[]string{"Mar 3 10:00:00 host kernel: link is up on eth0", "Mar 3 10:00:01 host kernel: link is down"},
		},
		{
			"next line is longer", long + "\nNow this line is so much longer that its first word had room there",
			[]string{long, "Now this line is so much longer that its first word had room there"},
		},
		{"list", "- one\n- two", []string{"- one", "- two"}},
		{"list of long lines", "- " + long + "\n- " + long, []string{"- " + long, "- " + long}},
		{"short lines", "roses are red\nviolets are blue", []string{"roses are red", "violets are blue"}},
		{"paragraphs", "one\n \ntwo", []string{"one", "two"}},
		{"space around", "  \n One. Two. \n", []string{"One.", "Two."}},
		{"no end", "no stop at all", []string{"no stop at all"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pieceTexts(c.text, prose(c.text, 0, len(c.text), true, nil), levelSentence)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGapLevels(t *testing.T) {
	text := "Words here. Next one\nsame paragraph\n\nother"
	for _, c := range []struct {
		name    string
		wrapped bool
		want    []level
	}{
		{"wrapped", true, []level{levelSentence, levelLine, levelParagraph}},
		{"lines", false, []level{levelSentence, levelLine, levelParagraph}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []level
			for _, m := range prose(text, 0, len(text), c.wrapped, nil) {
				got = append(got, m.level)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLines(t *testing.T) {
	text := "\na\n  b\n\n\tc\n\n"
	want := []mark{{pos: 3, level: levelLine}, {pos: 8, level: levelParagraph}}
	if d := cmp.Diff(want, lines(text, 0, len(text), nil), cmp.AllowUnexported(mark{})); d != "" {
		t.Error(d)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{" one two,  three ", []string{"one", "two,", "three"}},
		{"one", []string{"one"}},
		{"一，二。三", []string{"一，", "二。", "三"}},
		{"（一）二", []string{"（一）", "二"}},
	} {
		if d := cmp.Diff(c.want, pieceTexts(c.text, words(c.text, 0, len(c.text), nil), levelWord)); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestPieces(t *testing.T) {
	family := "👩‍👩‍👧‍👦" // 25 bytes, one cluster
	for _, c := range []struct {
		name, text string
		largest    int
	}{
		{"letters", strings.Repeat("abcdefghij", 50), pieceMax},
		{"clusters stay whole", strings.Repeat(family, 9), len(family)},
		{"large cluster", "e" + strings.Repeat("\u0301", 100), pieceMax},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pieceTexts(c.text, pieces(c.text, 0, len(c.text), nil), levelGrapheme)
			if strings.Join(got, "") != c.text {
				t.Fatalf("pieces %q do not make the word", got)
			}
			for i, p := range got {
				if len(p) > c.largest || len(p) < pieceMin && i < len(got)-1 {
					t.Errorf("piece %d has %d bytes: %q", i, len(p), p)
				}
			}
		})
	}
}
