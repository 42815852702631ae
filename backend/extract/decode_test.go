package extract

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"ibid/backend/corpus"
)

// sentences are article 1 of the Universal Declaration of Human Rights.
const (
	german    = "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft begabt und sollen für Brüderlichkeit einstehen."
	french    = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et doivent agir dans un esprit de fraternité."
	polish    = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są obdarzeni rozumem i sumieniem."
	czech     = "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím."
	russian   = "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью."
	greek     = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."
	turkish   = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler."
	hebrew    = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון."
	arabic    = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا."
	lithuania = "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė."
	thai      = "มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"
	simple    = "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"
	tradition = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。"
	japan     = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
	korea     = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."
	emoji     = "Notes 🎉 — naïve café, 第一章"
)

func TestDecodeEncodings(t *testing.T) {
	bom := func(e encoding.Encoding, mark string) func(string) []byte {
		return func(s string) []byte { return append([]byte(mark), encode(e, s)...) }
	}
	with := func(e encoding.Encoding) func(string) []byte { return bom(e, "") }
	utf16le, utf16be := utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
	utf32le, utf32be := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	tests := []struct {
		name   string
		encode func(string) []byte
		texts  []string
	}{
		{"", func(s string) []byte { return []byte(s) }, []string{german, simple, emoji, "plain", ""}},
		{"", func(s string) []byte { return []byte("\ufeff" + s) }, []string{german, emoji, ""}},
		{"UTF-16LE", bom(utf16le, "\xff\xfe"), []string{german, simple, emoji, "a", ""}},
		{"UTF-16BE", bom(utf16be, "\xfe\xff"), []string{german, simple, emoji, "a", ""}},
		{"UTF-32LE", bom(utf32le, "\xff\xfe\x00\x00"), []string{german, simple, emoji, "a", ""}},
		{"UTF-32BE", bom(utf32be, "\x00\x00\xfe\xff"), []string{german, simple, emoji, "a", ""}},
		{"UTF-16LE", with(utf16le), []string{german, russian, simple + "\n" + simple, emoji, "name,size\nbolt,8\n"}},
		{"UTF-16BE", with(utf16be), []string{german, russian, simple + "\n" + simple, emoji, "name,size\nbolt,8\n"}},
		{"UTF-32LE", with(utf32le), []string{german, simple, emoji, "第一章 1"}},
		{"UTF-32BE", with(utf32be), []string{german, simple, emoji}},
		{"Windows-1252", with(charmap.Windows1252), []string{german, french, "¿Dónde está el niño?"}},
		{"Windows-1250", with(charmap.Windows1250), []string{polish, czech}},
		{"Windows-1251", with(charmap.Windows1251), []string{russian}},
		{"KOI8-R", with(charmap.KOI8R), []string{russian}},
		{"IBM866", with(charmap.CodePage866), []string{russian}},
		{"Windows-1253", with(charmap.Windows1253), []string{greek}},
		{"Windows-1254", with(charmap.Windows1254), []string{turkish}},
		{"Windows-1255", with(charmap.Windows1255), []string{hebrew}},
		{"Windows-1256", with(charmap.Windows1256), []string{arabic}},
		{"Windows-1257", with(charmap.Windows1257), []string{lithuania}},
		{"Windows-874", with(charmap.Windows874), []string{thai}},
		{"GB18030", with(simplifiedchinese.GB18030), []string{simple, "中文文本", "第一章 " + simple + " 𠮷"}},
		{"Big5", with(traditionalchinese.Big5), []string{tradition}},
		{"Shift_JIS", with(japanese.ShiftJIS), []string{japan, "日本語のテキスト"}},
		{"EUC-JP", with(japanese.EUCJP), []string{japan}},
		{"EUC-KR", with(korean.EUCKR), []string{korea, "한국어"}},
	}
	for _, test := range tests {
		for _, text := range test.texts {
			// What stands far from the start counts as well.
			for _, text := range []string{text, strings.Repeat("plain line\n", 9000) + text} {
				data := test.encode(text)
				got, report, err := Decode(data)
				if err != nil {
					t.Errorf("%s %.20q: %v", test.name, text, err)
					continue
				}
				if got != text || report.Encoding != test.name || len(report.Notes) > 0 {
					t.Errorf("%s of %d bytes: got %s %.60q, want %.60q, notes %q",
						test.name, len(data), report.Encoding, got[max(0, len(got)-200):], text[max(0, len(text)-200):], report.Notes)
				}
				if sniffed := Sniff("file", data); sniffed != TypePlain {
					t.Errorf("%s %.20q: sniffed as %s", test.name, text, sniffed)
				}
			}
		}
	}
}

// encode leaves out what the encoding lacks.
func encode(e encoding.Encoding, s string) []byte {
	b, err := encoding.ReplaceUnsupported(e.NewEncoder()).Bytes([]byte(s))
	if err != nil {
		panic(err)
	}
	return b
}

func TestDecodeCleans(t *testing.T) {
	tests := []struct {
		name, data, want string
		notes            int
	}{
		{"line ends", "a\r\nb\rc\n\r\nd\r", "a\nb\nc\n\nd\n", 0},
		{"NUL", "crash\x00\x00\x00 here", "crash    here", 1},
		{"damaged UTF-8", "naïve café à la carte, déjà vu, Zürich, Köln, Ærø, señor\xff, ñandú", "naïve café à la carte, déjà vu, Zürich, Köln, Ærø, señor\uFFFD, ñandú", 1},
		{"replacement characters of the author", "lost \uFFFD before", "lost \uFFFD before", 0},
		{"half a UTF-16 unit at the end", "\xff\xfea\x00b", "a\uFFFD", 1},
		{"half a surrogate pair", "\xff\xfea\x00\x00\xd8b\x00", "a\uFFFDb", 1},
		{"two marks", "\ufeff\ufeffa", "\ufeffa", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, report, err := Decode([]byte(test.data))
			if err != nil || got != test.want || len(report.Notes) != test.notes {
				t.Errorf("got %q, %q, %v; want %q and %d notes", got, report.Notes, err, test.want, test.notes)
			}
		})
	}
}

func TestDecodeLimit(t *testing.T) {
	data := make([]byte, MaxText+1)
	for i := range data {
		data[i] = 'a'
	}
	if _, _, err := Decode(data[1:]); err != nil {
		t.Errorf("%d bytes: %v", MaxText, err)
	}
	if _, _, err := Decode(data); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("%d bytes: %v, want %v", len(data), err, corpus.ErrLimit)
	}
}

// Text is as long as it is in UTF-8, whatever it comes in, and longer text is
// refused in bounded memory.
func TestDecodeLimitOfOtherEncodings(t *testing.T) {
	euros := strings.Repeat("€ ", MaxText/4)
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"UTF-16 that fits":    {encode(utf.UTF16(utf.LittleEndian, utf.UseBOM), euros), true},
		"UTF-16":              {encode(utf.UTF16(utf.LittleEndian, utf.UseBOM), euros+"€"), false},
		"Windows-1252":        {bytes.Repeat([]byte("\xe9t\xe9 "), MaxText/5), false},
		"UTF-8 of four bytes": {bytes.Repeat([]byte("😀"), MaxText/4+1), false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Decode(c.data)
		runtime.ReadMemStats(&after)
		if c.ok && err != nil || !c.ok && !errors.Is(err, corpus.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 4*MaxText {
			t.Errorf("%s: %d MB to decode", name, took>>20)
		}
	}
}

func TestDecodeLines(t *testing.T) {
	lines := bytes.Repeat([]byte("\n"), corpus.MaxUnits+1)
	if _, _, err := DecodeLines(lines[1:]); err != nil {
		t.Error(err)
	}
	if _, _, err := DecodeLines(lines); !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), "4 Mi lines") {
		t.Errorf("%v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", german, "\xff\xfea\x00", "a\x00b", "\xe9t\xe9"} {
		f.Add([]byte(s))
	}
	f.Add(encode(simplifiedchinese.GB18030, simple))
	f.Add(encode(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), emoji))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		text, report, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") {
			t.Errorf("text %q of %q breaks the promise", text, data)
		}
		if string(data) != before {
			t.Error("the input was changed")
		}
		if utf8.Valid(data) && !strings.ContainsAny(before, "\r\x00\ufeff") {
			if text != before || report.Encoding != "" || report.Notes != nil {
				t.Errorf("clean text %q became %q, %+v", before, text, report)
			}
		}
	})
}
