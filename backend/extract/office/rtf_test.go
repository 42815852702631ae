package office

import (
	"strings"
	"testing"

	"ibid/backend/extract/extracttest"
)

func TestRTF(t *testing.T) {
	data := `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Mincho;}}
{\colortbl;\red255\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}
{\info{\title Lease}{\author Ann}{\*\company ACME}}{\*\generator x;}{\header\pard Page head\par}
\pard\s1 Deposits\par
\pard\plain Three {\b months} of r\'e9nt, {\f1\'cf\'f0\'e8\'e2\'e5\'f2} and {\f2\'93\'fa\'96\'7b}.\line Next line\u8212?dash \u-10179?\u-8704?{\footnote\pard Net of tax.\par}\par
\pard seen {\v hidden }again {\deleted gone }here{\*\atnid A}{\*\atnauthor Bob}{\*\annotation Really?}\par
{\listtext\pard\'b7\tab}\pard\ls1\ilvl0 bullet\par
{\listtext\pard 1.\tab}\pard\ls2\ilvl1 numbered\par
\pard\s2 Table\par
\trowd\pard\intbl Item\cell Price\cell\row
\trowd\pard\intbl Chair\cell 10\par EUR\cell\row
\pard After \{braces\} and a back\\slash\par
{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt linked}}{\pict\pngblip 89504e47}{\*\unknown nothing}\bin3 {}{\ldblquote quoted\rdblquote\par
}}trailing`
	extracttest.Golden(t, "rtf", extracttest.Extract(t, Routes(), "a.rtf", []byte(data)))
}

func TestRTFEdges(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"nothing", `{\rtf1}`, ""},
		{"cut off", `{\rtf1 half a sen`, "half a sen"},
		{"cut in a control", `{\rtf1 a\`, "a"},
		{"cut in a byte", `{\rtf1 a\'e`, "a\x0e"},
		{"closed too often", `{\rtf1 a}}}} b`, "a"},
		{"lone surrogate", `{\rtf1 \u-10179? a}`, "a"},
		{"bin beyond the end", `{\rtf1 a\bin999999999999 bcd}`, "a"},
		{"skips after a code", `{\rtf1\uc2 \u228ae\u246oe}`, "äö"},
		{"no skip across a group", `{\rtf1 {\u228}x}`, "äx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := extracttest.Extract(t, Routes(), "a.rtf", []byte(tt.data))
			if got := strings.TrimSpace(doc.Text); got != strings.Trim(tt.want, "\x0e") {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
