package office

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// numberFormat is how a cell shows a number: the part of a format code (ECMA-376
// part 1, 18.8.31) that changes what a reader searches for. Dates are written
// as ISO 8601 whatever their order in the format.
type numberFormat struct {
	general bool
	date    bool // year, month or day
	clock   bool // hours, minutes or seconds
	elapsed bool // hours beyond 24: [h]

	prefix, suffix string
	percent        bool
	group          bool
	decimals       int // at most as many
	fixed          int // at least as many
	scale          int // powers of a thousand
	exponent       bool
}

// builtinFormats are the codes of the numbers that files do not spell out.
var builtinFormats = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
	14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss",
	22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss",
	47: "mm:ss", 48: "0.0E+0", 49: "@",
	27: "yyyy-mm-dd", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "yyyy-mm-dd", 31: "yyyy-mm-dd", 32: "h:mm", 33: "h:mm:ss",
	36: "yyyy-mm-dd", 50: "yyyy-mm-dd", 51: "yyyy-mm-dd", 52: "yyyy-mm-dd", 53: "yyyy-mm-dd", 54: "yyyy-mm-dd",
	57: "yyyy-mm-dd", 58: "yyyy-mm-dd",
}

// parseFormat reads the section of a code that is for positive numbers.
func parseFormat(code string) numberFormat {
	var f numberFormat
	if code == "" || strings.EqualFold(code, "General") || code == "@" {
		f.general = true
		return f
	}
	digits, point := false, false
	literal := func(s string) {
		if digits {
			f.suffix += s
		} else {
			f.prefix += s
		}
	}
	minutes := false
scan:
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			break scan
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				break scan
			}
			literal(code[i+1 : i+1+end])
			i += end + 1
		case '\\':
			if i+1 < len(code) {
				i++
				literal(code[i : i+1])
			}
		case '_', '*':
			i++ // a space as wide as the next character, or that character repeated
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				break scan
			}
			switch inner := code[i+1 : i+end]; {
			case strings.HasPrefix(inner, "$"):
				sign, _, _ := strings.Cut(inner[1:], "-")
				literal(sign)
			case strings.Trim(strings.ToLower(inner), "hms") == "" && inner != "":
				f.clock, f.elapsed = true, true
			}
			i += end
		case '0', '#', '?':
			digits = true
			switch {
			case point:
				f.decimals++
				if c == '0' {
					f.fixed = f.decimals
				}
			case f.scale > 0: // the commas before this digit only group
				f.group, f.scale = true, 0
			}
		case '.':
			point = true
		case ',':
			if digits {
				f.scale++
			}
		case '%':
			f.percent = true
			literal("%")
		case 'E', 'e':
			if digits {
				f.exponent = true
				for i+1 < len(code) && strings.IndexByte("+-0#?", code[i+1]) >= 0 {
					i++
				}
			} else {
				f.date = true // the year of an era
			}
		case 'y', 'Y', 'd', 'D', 'b', 'g':
			f.date = true
		case 'h', 'H', 's', 'S':
			f.clock = true
		case 'm', 'M':
			minutes = true
		case 'A', 'a', 'P', 'p', '/':
			if c == '/' && !f.date && !minutes {
				return numberFormat{general: true} // a fraction
			}
		default:
			literal(string(c))
		}
	}
	if minutes && !f.clock {
		f.date = true
	}
	if !digits && !f.date && !f.clock {
		return numberFormat{general: true}
	}
	return f
}

// show writes a stored number as the format would.
func (f numberFormat) show(raw string, from1904 bool) string {
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return raw
	}
	switch {
	case f.elapsed && math.Abs(n) < maxSerial:
		return elapsed(n)
	case f.date || f.clock:
		return f.moment(n, raw, from1904)
	case f.general:
		return strings.ToUpper(strconv.FormatFloat(n, 'g', 15, 64))
	case f.exponent:
		return f.prefix + strconv.FormatFloat(n, 'E', f.decimals, 64) + f.suffix
	}
	if f.percent {
		n *= 100
	}
	n /= math.Pow(1000, float64(f.scale))
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := strconv.FormatFloat(n, 'f', f.decimals, 64)
	whole, rest, _ := strings.Cut(digits, ".")
	for len(rest) > f.fixed && rest[len(rest)-1] == '0' {
		rest = rest[:len(rest)-1]
	}
	if f.group {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + f.prefix + whole + f.suffix
}

// maxSerial is the serial date of the first day after the year 9999.
const maxSerial = 2_958_466

// moment writes a serial date: days since the last day of 1899, with a 29
// February 1900 that never was, or since 1 January 1904.
func (f numberFormat) moment(n float64, raw string, from1904 bool) string {
	if n < 0 || n >= maxSerial {
		return raw
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	days, part := math.Modf(n)
	t := epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	layout := time.DateOnly
	clock := "15:04"
	if t.Second() != 0 {
		clock = time.TimeOnly
	}
	switch {
	case !f.date:
		layout = clock
	case f.clock:
		layout += " " + clock
	}
	return t.Format(layout)
}

func elapsed(n float64) string {
	seconds := int64(math.Round(n * 86400))
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	pad := func(n int64) string {
		if n < 10 {
			return "0" + strconv.FormatInt(n, 10)
		}
		return strconv.FormatInt(n, 10)
	}
	return sign + strconv.FormatInt(seconds/3600, 10) + ":" + pad(seconds/60%60) + ":" + pad(seconds%60)
}
