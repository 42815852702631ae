package office

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/extract/xmlwalk"
)

// readMath writes a formula of Office MathML (ECMA-376 part 1, 22.1) in one
// line, as people type it: (a+b)/c, x^2, √(x).
func readMath(w *xmlwalk.Walker) (string, error) {
	var b strings.Builder
	built := false // what stands before was a construct: "x^2" and "y" stay apart
	err := w.Children(func(e xmlwalk.Element) error {
		var text string
		var err error
		construct := false
		switch e.Name {
		case "t":
			text, err = w.Text()
		case "f", "sSup", "sSub", "sSubSup", "sPre", "rad", "nary", "d", "limLow", "limUpp":
			var parts map[string]string
			if parts, err = mathParts(w); err == nil {
				text = formula(e.Name, parts)
			}
			construct = e.Name != "d"
		case "mr", "eqArr":
			text, err = readMath(w)
			text += " "
		default:
			text, err = readMath(w)
		}
		if first, _ := utf8.DecodeRuneInString(text); built && (unicode.IsLetter(first) || unicode.IsDigit(first)) {
			b.WriteByte(' ')
		}
		if text != "" {
			built = construct
		}
		b.WriteString(text)
		return err
	})
	return b.String(), err
}

// mathParts reads the arguments of a construct; those that come several times
// are joined by commas. The signs of n-ary operators and delimiters are "chr",
// "begChr" and "endChr".
func mathParts(w *xmlwalk.Walker) (map[string]string, error) {
	parts := map[string]string{}
	err := w.Children(func(e xmlwalk.Element) error {
		if strings.HasSuffix(e.Name, "Pr") {
			return w.Children(func(e xmlwalk.Element) error {
				if e.Has("val") {
					parts[e.Name] = e.Attr("val")
				}
				return nil
			})
		}
		text, err := readMath(w)
		if before, ok := parts[e.Name]; ok {
			text = before + ", " + text
		}
		parts[e.Name] = text
		return err
	})
	return parts, err
}

func formula(kind string, p map[string]string) string {
	script := func(sign, text string) string {
		if text == "" {
			return ""
		}
		return sign + bracket(text)
	}
	switch kind {
	case "f":
		return bracket(p["num"]) + "/" + bracket(p["den"])
	case "rad":
		return p["deg"] + "√" + bracket(p["e"])
	case "d":
		open, ok := p["begChr"]
		if !ok {
			open = "("
		}
		end, ok := p["endChr"]
		if !ok {
			end = ")"
		}
		return open + p["e"] + end
	case "nary":
		sign, ok := p["chr"]
		if !ok {
			sign = "∫"
		}
		return sign + script("_", p["sub"]) + script("^", p["sup"]) + " " + p["e"]
	case "limLow":
		return p["e"] + script("_", p["lim"])
	case "limUpp":
		return p["e"] + script("^", p["lim"])
	case "sPre":
		return script("_", p["sub"]) + script("^", p["sup"]) + p["e"]
	}
	return bracket(p["e"]) + script("_", p["sub"]) + script("^", p["sup"])
}

// bracket puts brackets around more than one term.
func bracket(s string) string {
	s = strings.TrimSpace(s)
	bracketed := strings.HasPrefix(s, "(") && strings.IndexByte(s, ')') == len(s)-1
	if utf8.RuneCountInString(s) > 1 && strings.ContainsAny(s, "+-−=/*·×^_, ") && !bracketed {
		return "(" + s + ")"
	}
	return s
}
