package extract

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// charset is an encoding other than UTF-8 with the name that is reported.
type charset struct {
	name     string
	encoding encoding.Encoding
}

var wideCharsets = []struct {
	charset
	bom   string
	width int
	order binary.ByteOrder
}{
	// UTF-32 first: its little-endian mark begins with that of UTF-16.
	{charset{"UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, "\xff\xfe\x00\x00", 4, binary.LittleEndian},
	{charset{"UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}, "\x00\x00\xfe\xff", 4, binary.BigEndian},
	{charset{"UTF-16LE", utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)}, "\xff\xfe", 2, binary.LittleEndian},
	{charset{"UTF-16BE", utf.UTF16(utf.BigEndian, utf.IgnoreBOM)}, "\xfe\xff", 2, binary.BigEndian},
}

// minWide is how many bytes it takes to tell text without a mark from numbers.
const minWide = 16

// detectWide returns the encoding with units of several bytes that data has,
// nil if none, and the length of the byte order mark, UTF-8's included.
//
// Without a mark, zero bytes make such an encoding possible: even Chinese in
// UTF-16 has line ends. Nearly every unit must then be an assigned, printable
// character, and most zeros must come from characters below U+0100, though some
// of Chinese end in zero; the wrong byte order and arrays of numbers fail.
func detectWide(data []byte) (*charset, int) {
	for i := range wideCharsets {
		if c := &wideCharsets[i]; bytes.HasPrefix(data, []byte(c.bom)) {
			return &c.charset, len(c.bom)
		}
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, 3
	}
	sample := data[:min(len(data), SniffLen)]
	zeros, controls, plain := 0, 0, 0
	for _, b := range sample {
		switch {
		case b == 0:
			zeros++
			controls++
		case b < ' ':
			controls++
		case b < 0x7f:
			plain++
		}
	}
	if zeros == 0 || len(sample) < minWide {
		return nil, 0
	}
	// Text with units of one byte and some zeros: pairs of its letters would
	// look like Chinese.
	if controls*4 < len(sample) && (plain*4 > len(sample)*3 || utf8.Valid(trimPartial(sample))) {
		return nil, 0
	}
	var best *charset
	most := 0
	for i := range wideCharsets {
		c := &wideCharsets[i]
		low := plausible(sample, c.width, c.order)
		if low > most && (c.width == 4 || low*2 >= zeros) {
			best, most = &c.charset, low
		}
	}
	return best, 0
}

// plausible returns the number of characters that speak for text in units of
// width bytes, 0 if the sample does not look like it.
func plausible(sample []byte, width int, order binary.ByteOrder) int {
	units, low, breaks, bad := 0, 0, 0, 0
	var high rune // a leading surrogate that waits for its other half
	for ; len(sample) >= width; sample = sample[width:] {
		var r rune
		if width == 4 {
			u := order.Uint32(sample)
			if u > unicode.MaxRune {
				return 0
			}
			r = rune(u)
		} else {
			r = rune(order.Uint16(sample))
			if high != 0 {
				r, high = utf16.DecodeRune(high, r), 0
			} else if r >= 0xd800 && r < 0xdc00 {
				high = r
				continue
			}
		}
		units++
		if r < 0x100 {
			low++
		}
		if r < ' ' {
			breaks++
		}
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == unicode.ReplacementChar {
			bad++
		}
	}
	switch {
	case bad*50 > units, breaks*4 > units:
		return 0
	case width == 4:
		return units // numbers below 0x110000 are evidence enough
	}
	return low
}
