package analyze

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/google/go-cmp/cmp"
)

func TestAnalyze(t *testing.T) {
	a := New()
	tests := []struct {
		name, lang, text string
		whole, parts     string // separated by spaces
	}{
		{"stems beside words", "en", "The engines were running", "the engines were running", "engin run"},
		{"unknown language", "", "The engines", "the engines", "the engin"},
		{"no stemmer", "ja", "engines エンジン", "engines エン ンジ ジン", "engin エン エ ンジ ン ジン ジ ン"},
		{"German", "de", "Die Häuser der Straße", "die hauser der strasse", "haus strass"},
		{"accents", "fr", "L'élève à l'Université", "eleve a universite", "elev univers"},
		{"error code", "en", "ERR_0x80070005", "err_0x80070005", "err_0x80070005 err 0x80070005 err0x80070005"},
		{"part number", "en", "XPS-9520-4K failed.", "xps-9520-4k failed", "xps-9520-4k xps 9520 4k xps95204k fail"},
		{"scope", "en", "std::vector<int>", "std::vector int", "std::vector std vector int"},
		{"languages of programs", "en", "C#, C++, F#, .NET, C", "c# c++ f# .net c", "c# c++ f# .net net c"},
		{"suffix inside", "en", "C++17 C++/CLI", "c++17 c++ cli", "c++17 c++ 17 c++ cli"},
		{"plus is no suffix of a code", "en", "CD4+ a+b", "cd4 a b", "cd4 b"},
		{"version", "en", "v1.2.3", "v1.2.3", "v1.2.3 1.2.3 1.2"},
		{"mail", "en", "<ann.lee@example.org>", "ann.lee@example.org", "ann.lee@example.org ann.lee example.org ann lee exampl org"},
		{
			"address", "en", "(see https://example.com/a_b?q=1).", "see https://example.com/a_b?q=1",
			"see https://example.com/a_b?q=1 example.com/a_b?q=1 example.com https exampl com a_b b q 1",
		},
		{"path", "en", "src/main/app.go:12", "src/main/app.go 12", "src/main/app.go app.go src main app go 12"},
		{"drive", "en", `C:\Temp\a.txt`, `c:\temp\a.txt`, `c:\temp\a.txt a.txt c temp txt`},
		{"slash between words", "en", "red/blue TCP/IP", "red blue tcp ip", "red blue tcp ip"},
		{"numbers", "en", "1,000 3.14 24/7", "1,000 3.14 24/7", "1,000 1000 3.14 24/7 24 7"},
		{"date", "en", "2025-03-01", "2025-03-01", "2025-03-01 2025 03 01 2025-03 20250301"},
		{"camel", "en", "parseHTTPRequest JavaScript", "parsehttprequest javascript", "parsehttprequest pars http request javascript java script"},
		{"snake", "en", "_max_retries_", "max_retries", "max_retries max retri maxretries"},
		{"hyphens", "en", "Wi-Fi", "wi fi", "wi wifi fi"},
		{"acronym", "en", "U.S.A. e.g.", "usa eg", "usa"},
		{"apostrophes", "en", "don't O’Brien's dog's", "dont obrien dog", "obrien dog"},
		{"full width", "en", "ＸＰＳ－９５２０", "xps-9520", "xps-9520 xps 9520 xps9520"},
		{"Chinese", "zh", "东京都", "东京 京都", "东京 东 京都 京 都"},
		{"one character", "zh", "东", "东", "东"},
		{"half-width kana", "ja", "ｶﾞｷﾞ", "ガギ", "ガギ ガ ギ"},
		{"mixed scripts", "zh", "用C#写", "用 c# 写", "用 c# 写"},
		{"Hindi keeps its vowels", "hi", "हिन्दी", "हिन्दी", "हिन्दी"},
		{"Arabic digits and vowels", "ar", "كِتاب ٢٠٢٥", "كتاب 2025", "كتاب 2025"},
		{"soft hyphen", "en", "inter\u00adnational", "international", "intern"},
		{"nothing", "en", " -- … ++ '' __ ", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := a.Analyze(tt.text, tt.lang)
			if diff := cmp.Diff(tt.whole, strings.Join(got.Whole, " ")); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.parts, strings.Join(got.Parts, " ")); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLengthLeavesOutFunctionWords(t *testing.T) {
	if got := New().Analyze("the cat is on the mat", "en").Length; got != 2 {
		t.Errorf("length %d, want 2", got)
	}
}

// Two long names that share their beginning stay two terms.
func TestLongTermsStayDifferent(t *testing.T) {
	long := strings.Repeat("ä", 200)
	a := New()
	x, y := a.Analyze(long+"x", "").Whole[0], a.Analyze(long+"y", "").Whole[0]
	if x == y || len(x) > MaxTerm || !utf8.ValidString(x) {
		t.Errorf("terms %q and %q", x, y)
	}
}

// A long run, such as minified code or base64, takes linear time and
// a bounded number of parts.
func TestLongRuns(t *testing.T) {
	a := New()
	for _, unit := range []string{"a", "a/", "a.", "a-1", "ab::", "aB", "a_", "1,", "/.", "东"} {
		got := a.Analyze(strings.Repeat(unit, 1<<16/len(unit)), "en")
		if n := len(got.Parts); n > 3*len(got.Whole)+maxParts {
			t.Errorf("%q: %d parts for %d positions", unit, n, len(got.Whole))
		}
	}
}

// Plain text of many scripts is divided as by UAX #29.
func TestWordsAsUAX29(t *testing.T) {
	text := `The quick brown fox can't jump 32.3 feet, right? Ζεύς καὶ Ἥρα. Съешь ещё этих мягких булок.
		שלום עולם وصل القطار अंतरराष्ट्रीय संगठन Straße naïve Ångström Việt Nam հայերեն ქართული አማርኛ தமிழ்`
	var want []string
	for it := words.FromString(text); it.Next(); {
		if strings.ContainsFunc(it.Value(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			want = append(want, it.Value())
		}
	}
	var got []string
	for _, tok := range New().Tokens(text, "") {
		got = append(got, text[tok.Start:tok.End])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words (-uax29 +got):\n%s", diff)
	}
}

func TestLanguage(t *testing.T) {
	tests := []struct{ want, text string }{
		{"en", "The report says that all of the pumps were replaced in March."},
		{"de", "Der Bericht sagt, dass alle Pumpen im März ersetzt worden sind und nicht mehr lecken."},
		{"fr", "Le rapport dit que toutes les pompes ont été remplacées en mars."},
		{"es", "El informe dice que todas las bombas fueron reemplazadas en marzo, y no hay más."},
		{"it", "Il rapporto dice che tutte le pompe sono state sostituite nel mese di marzo."},
		{"pt", "O relatório diz que todas as bombas foram substituídas em março e não há mais."},
		{"nl", "Het rapport zegt dat alle pompen in maart zijn vervangen en niet meer lekken."},
		{"sv", "Rapporten säger att alla pumpar byttes ut i mars och att de inte läcker."},
		{"da", "Rapporten siger, at alle pumper blev udskiftet i marts, og at de ikke længere lækker af sig selv."},
		{"fi", "Raportti sanoo, että kaikki pumput vaihdettiin maaliskuussa ja ne eivät enää vuoda."},
		{"ru", "В отчёте сказано, что все насосы были заменены в марте и они не текут."},
		{"tr", "Rapor tüm pompaların mart ayında değiştirildiğini ve bir daha sızdırmadığını söylüyor, ama bu çok önemli."},
		{"zh", "报告说，所有的泵都在三月更换了。"},
		{"ja", "報告によると、すべてのポンプは三月に交換されました。"},
		{"ko", "보고서에 따르면 모든 펌프가 3월에 교체되었습니다."},
		{"el", "Η έκθεση λέει ότι όλες οι αντλίες αντικαταστάθηκαν."},
		{"ar", "يقول التقرير إن جميع المضخات استبدلت في مارس."},
		{"uk", "У звіті сказано, що всі насоси були замінені в березні і більше не течуть."},
		{"zh", "使用 Python 和 PostgreSQL 来构建检索系统的说明文件和例子。"},
		{"", "pump 7 pump 8 pump 9"},
		{"", "0xDEADBEEF"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := Language(tt.text); got != tt.want {
			t.Errorf("Language(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{
		"The quick brown fox", "ERR_0x80070005 XPS-9520-4K std::vector C# C++ .NET v1.2.3", "a@b.c https://x.y/z?q=1 C:\\x\\y.z",
		"東京都 학교 ประเทศไทย ｶﾞ", "_a_ __ _-_ a.-b ..a '’' a'b", "\ufdfa \ufe70 \u00ad\u200d ⒈ ½ 6½ ﬁ İ ß", "\xff\xfe a\xffb", "1,000.5:3", "a++b#c##++",
	} {
		f.Add(seed, "en")
		f.Add(seed, "de")
	}
	a := New()
	f.Fuzz(func(t *testing.T, text, lang string) {
		terms := a.Analyze(text, lang)
		if terms.Length > len(terms.Whole) {
			t.Fatalf("length %d of %d positions", terms.Length, len(terms.Whole))
		}
		for _, term := range slices.Concat(terms.Whole, terms.Parts) {
			if term == "" || len(term) > MaxTerm || !utf8.ValidString(term) || strings.ContainsFunc(term, unicode.IsSpace) {
				t.Fatalf("bad term %q", term)
			}
		}
		end := 0
		var parts []string
		for _, tok := range a.Tokens(text, lang) {
			parts = append(parts, tok.Parts...)
			if tok.Start >= tok.End || tok.End > len(text) || tok.Kind != Unspaced && tok.Start < end {
				t.Fatalf("token %+v in a text of %d bytes, after %d", tok, len(text), end)
			}
			end = tok.End
		}
		if !slices.Equal(parts, terms.Parts) {
			t.Fatalf("tokens have the parts %q, the text %q", parts, terms.Parts)
		}
		checkRecord(t, terms)
		checkFound(t, a.Query(text, []string{lang, "fr"}), terms)
	})
}

// checkFound holds that a text is found by every unit of itself typed as a query.
func checkFound(t *testing.T, units []Unit, terms Terms) {
	t.Helper()
	for _, u := range units {
		if len(u.Forms) == 0 || u.Count < 1 {
			t.Fatalf("unit %+v asks for nothing", u)
		}
		if u.Stop || u.Piece {
			continue // pieces are bounded for each token
		}
		found := slices.Contains(terms.Whole, u.Whole) || slices.ContainsFunc(u.Forms, func(form string) bool { return slices.Contains(terms.Parts, form) })
		if !found {
			t.Fatalf("unit %+v is not in %q %q", u, terms.Whole, terms.Parts)
		}
	}
}
