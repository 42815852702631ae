package analyze

import "unicode/utf8"

// pairs reports the characters of a run in a script without spaces: one token
// for every two neighbours, and each single character as a part. A character
// that stands alone is its own token.
func (s *scanner) pairs(i int) int {
	s.spans = s.spans[:0]
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if len(s.spans) > 0 && clings(r) {
			i += n
			s.spans[len(s.spans)-1].end = i
			continue
		}
		if classify(r) != unspaced {
			break
		}
		s.spans = append(s.spans, span{start: i, end: i + n})
		i += n
	}
	single := lower(s.text[s.spans[0].start:s.spans[0].end])
	if len(s.spans) == 1 {
		s.clear()
		s.part(single, itself, false)
		s.report(s.spans[0].start, s.spans[0].end, Unspaced, single)
		return i
	}
	for k := 1; k < len(s.spans); k++ {
		a, b := s.spans[k-1], s.spans[k]
		pair := lower(s.text[a.start:b.end])
		s.clear()
		s.part(pair, itself, false)
		s.part(single, piece, false)
		single = lower(s.text[b.start:b.end])
		if k == len(s.spans)-1 {
			s.part(single, piece, false)
		}
		s.report(a.start, b.end, Unspaced, pair)
	}
	return i
}
