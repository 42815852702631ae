package web

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"ibid/backend/corpus"
)

// maxAddress is the longest address, in bytes: that of sitemaps.
const maxAddress = 2048

// isAddress reports whether what a person names is meant as a web address.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Normalize returns the one form of an address by which its page is known (RFC
// 3986, section 6.2.2): scheme and host in small letters, names in ASCII (RFC
// 5891), no default port, no dot segments, no fragment, nothing escaped that
// need not be. The query stays as it is, since its order may matter.
//
// Errors wrap corpus.ErrInvalid: no http or https address, credentials in it,
// or too long.
func Normalize(address string) (string, error) {
	u, err := parse(address)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

func parse(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	if len(address) > maxAddress {
		return nil, fmt.Errorf("%w: an address of %d bytes, at most %d", corpus.ErrInvalid, len(address), maxAddress)
	}
	u, err := url.Parse(address)
	if err != nil || !utf8.ValidString(address) || strings.ContainsFunc(address, unicode.IsControl) {
		return nil, fmt.Errorf("%w: %q is no address", corpus.ErrInvalid, address) // the cause repeats it
	}
	return normalize(u)
}

// normalize changes u, which may be the target of a redirect.
func normalize(u *url.URL) (*url.URL, error) {
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.User != nil:
		return nil, fmt.Errorf("%w: the address of %s has credentials in it, which are not used", corpus.ErrInvalid, u.Host)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: %q is no http or https address", corpus.ErrInvalid, u.Redacted())
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("%w: %q names no host", corpus.ErrInvalid, u.Redacted())
	}
	host, err := hostName(u.Hostname())
	if err != nil {
		return nil, err
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("%w: %q is no port", corpus.ErrInvalid, port)
		}
		if port = strconv.FormatUint(n, 10); port != defaultPorts[u.Scheme] {
			host += ":" + port
		}
	}
	u.Host = host
	u.Fragment, u.RawFragment = "", ""
	u.ForceQuery = false
	u.RawQuery = escapeQuery(u.RawQuery)
	dir := strings.HasSuffix(u.Path, "/") || strings.HasSuffix(u.Path, "/.") || strings.HasSuffix(u.Path, "/..")
	escaped := escapePath(u.EscapedPath())
	// path.Clean would also join empty segments, which servers tell apart.
	if strings.Contains(escaped, "/.") {
		escaped = path.Clean("/" + escaped)
		if dir && escaped != "/" {
			escaped += "/"
		}
	}
	if escaped == "" {
		escaped = "/"
	}
	if u.Path, err = url.PathUnescape(escaped); err != nil || !utf8.ValidString(u.Path) && !ascii(escaped) {
		return nil, fmt.Errorf("%w: %q is no path of an address", corpus.ErrInvalid, escaped)
	}
	u.RawPath = escaped
	if s := u.String(); len(s) > maxAddress {
		return nil, fmt.Errorf("%w: an address of %d bytes, at most %d", corpus.ErrInvalid, len(s), maxAddress)
	}
	return u, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// hostName returns a host in its one form: an IP address, in brackets where it
// has colons, or a name in ASCII.
func hostName(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip = ip.Unmap(); ip.Is4() {
			return ip.String(), nil
		}
		if ip.Zone() == "" {
			return "[" + ip.String() + "]", nil
		}
	}
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil || slices.Contains(strings.Split(name, "."), "") || strings.ContainsAny(name, ":%[]/\\@?# ") {
		return "", fmt.Errorf("%w: %q is no name of a host", corpus.ErrInvalid, host)
	}
	return name, nil
}

// escapePath writes escapes in capitals and takes them off letters, digits
// and "-._~", which mean the same without. It escapes what is not ASCII.
func escapePath(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			if d := unhex(s[i+1])<<4 | unhex(s[i+2]); unreserved(d) {
				b.WriteByte(d)
			} else {
				b.WriteString(strings.ToUpper(s[i : i+3]))
			}
			i += 2
		case c <= ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapeQuery escapes what may not stand in a query and leaves the rest.
func escapeQuery(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// below is the part of an address that a source's globs are compared with: its
// path without the first slash, as people write it.
func below(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.Trim(u.Path, "/")
}
