package web

import "regexp"

// charsetDeclaration is a charset in a meta element, in either form, or in an
// XML declaration.
var charsetDeclaration = regexp.MustCompile(`(?i)<(?:meta\s[^<>]*?charset|\?xml\s[^<>]*?encoding)\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// maxHead is how far into a page its charset is looked for, in bytes. The
// standard's 1,024 are not kept by pages with long scripts at the top.
const maxHead = 256 << 10

// charsetOf returns the encoding that a page declares, or "".
func charsetOf(data []byte) string {
	m := charsetDeclaration.FindSubmatch(data[:min(len(data), maxHead)])
	if m == nil {
		return ""
	}
	return string(m[1])
}
