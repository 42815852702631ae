package source

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFile is one .gitignore-style file.
//
// It follows gitignore(5), with characters where git has bytes. Libraries for
// it either come with all of git or are not kept; the tests compare with git.
type ignoreFile struct {
	name  string // of the file, for reasons
	dir   string // of the folder, relative to the root; "" is the root
	rules []ignoreRule
}

type ignoreRule struct {
	text    string // as written
	line    int
	glob    string // for doublestar
	negated bool
	folders bool // matches folders only
	path    bool // matches the path from the file's folder, else the name
}

// verdict of a list of rules.
type verdict int

const (
	silent   verdict = iota // no rule matches
	ignored                 // the last matching rule ignores
	included                // the last matching rule takes back
)

// parseIgnore reads an ignore file. Lines that git would never match are dropped.
func parseIgnore(name, dir string, data []byte) *ignoreFile {
	f := &ignoreFile{name: name, dir: dir}
	line := 0
	for text := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line++
		text = strings.TrimSuffix(text, "\r")
		if text == "" || text[0] == '#' {
			continue
		}
		if rule, ok := parseRule(trimSpaces(text)); ok {
			rule.text, rule.line = text, line
			f.rules = append(f.rules, rule)
		}
	}
	return f
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

func parseRule(s string) (ignoreRule, bool) {
	var r ignoreRule
	s, r.negated = strings.CutPrefix(s, "!")
	s, r.folders = strings.CutSuffix(s, "/")
	r.path = strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	var ok bool
	r.glob, ok = translate(s)
	return r, ok && s != "" && doublestar.ValidatePattern(r.glob)
}

// translate turns a glob of git into one of doublestar, which also knows
// braces, knows no character classes, and lets "a/**" match "a".
func translate(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return "", false
			}
			b.WriteString(`\` + s[i:i+1])
		case '{', '}':
			b.WriteString(`\` + s[i:i+1])
		case '[':
			class, n, ok := translateClass(s[i:])
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += n - 1
		case '*':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "*"))
			if n > 1 && (i == 0 || s[i-1] == '/') && (i+n == len(s) || s[i+n] == '/') {
				b.WriteByte('*') // "**" is special where it stands alone
			}
			b.WriteByte('*')
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	glob := b.String()
	if strings.HasSuffix(glob, "/**") {
		glob += "/*"
	}
	return glob, true
}

// translateClass translates the bracket expression that s begins with and
// returns its length. One that is not closed, or names no class, matches nothing.
func translateClass(s string) (class string, n int, ok bool) {
	i := 1
	class = "["
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		class += `^\/`
		i++
	}
	for first := true; i < len(s); first = false {
		if s[i] == ']' && !first {
			return class + "]", i + 1, true
		}
		if strings.HasPrefix(s[i:], "[:") {
			if end := strings.IndexByte(s[i+2:], ']'); end > 0 && s[i+1+end] == ':' {
				ranges, known := classes[s[i+2:i+1+end]]
				if !known {
					return "", 0, false
				}
				class += ranges
				i += end + 3
				continue
			}
		}
		var low, high string
		if low, i = classRune(s, i); low == "" {
			return "", 0, false
		}
		class += low
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if high, i = classRune(s, i+1); high == "" {
				return "", 0, false
			}
			class += "-" + high
		}
	}
	return "", 0, false
}

// classRune returns the character at s[i:], escaped, and where the next is.
func classRune(s string, i int) (string, int) {
	if s[i] == '\\' {
		i++
	}
	if i == len(s) {
		return "", i
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return `\` + s[i:i+n], i + n
}

// classes are those of POSIX, in ASCII as git has them.
var classes = map[string]string{
	"alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \t", "cntrl": "\x00-\x1f\x7f", "digit": "0-9",
	"graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": " \t-\r",
	"upper": "A-Z", "xdigit": "0-9a-fA-F",
}

// decide returns the verdict on a path relative to the root, and the rule.
func (f *ignoreFile) decide(rel string, folder, fold bool) (verdict, string) {
	if f == nil {
		return silent, ""
	}
	below := strings.TrimPrefix(strings.TrimPrefix(rel, f.dir), "/")
	name := path.Base(rel)
	for i := len(f.rules) - 1; i >= 0; i-- {
		r := &f.rules[i]
		if r.folders && !folder {
			continue
		}
		subject := name
		if r.path {
			subject = below
		}
		if !matches(r.glob, subject, fold) {
			continue
		}
		reason := path.Join(f.dir, f.name) + ":" + strconv.Itoa(r.line) + ": " + r.text
		if r.negated {
			return included, reason
		}
		return ignored, reason
	}
	return silent, ""
}

func matches(glob, subject string, fold bool) bool {
	if fold {
		glob, subject = FoldKey(glob), FoldKey(subject)
	}
	ok, err := doublestar.Match(glob, subject)
	return ok && err == nil
}
