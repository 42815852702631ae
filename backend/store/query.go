package store

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ibid/backend/corpus"
)

// Query asks for the candidates of two legs. A nil leg is not run.
type Query struct {
	Generation int64 // 0: the live one
	Lexical    *Lexical
	Vector     *Vector
	Filter     Filter // on both legs; joined by AND
}

// Term is an index term in one of the two fields of an Entry.
type Term struct {
	Part bool // second field
	Text string
}

// Lexical chooses keyword candidates; scoring is the caller's, from the
// returned term records.
//
// A passage is a candidate if it has every phrase of Must, none of Not, passes
// the filter and has at least one term. The rule of choice, equal in all
// stores: order the distinct terms that occur at all by document frequency
// (rarest first, then by text, whole before part); take terms while the sum of
// their frequencies is within Budget, at least one (Choose); the candidates
// holding one of these are the pool; if Must is given, all candidates are.
// When the pool has more than Limit passages, those with the highest sum of
// IDF over the taken terms stay (each term counted once, added up in the order
// taken), ties by passage id.
//
// A phrase is matched by the distances between its terms; "" stands for any
// position between two of them and means nothing at an end. A phrase without
// a term is ignored.
type Lexical struct {
	Terms  []Term
	Must   [][]string // phrases over the first field; "" matches any position
	Not    [][]string
	Budget int // passages whose terms may be looked at; > 0
	Limit  int // candidates returned at the most; > 0
}

// Vector asks for the nearest passages by cosine.
type Vector struct {
	Query []float32 // unit length, of the generation's space
	Limit int       // > 0
}

// Candidates are unranked material for scoring.
type Candidates struct {
	Lexical []LexicalHit // by passage id
	Vector  []VectorHit  // by score, best first; ties by passage id
	Stats   Stats
	// Exact tells that the vector leg was an exact scan.
	Exact bool
}

// LexicalHit is a keyword candidate.
type LexicalHit struct {
	Chunk  corpus.ID
	Terms  []byte // Entry.Terms
	Length int    // Entry.Length
}

// VectorHit is a vector candidate; Score is the cosine in [-1, 1].
type VectorHit struct {
	Chunk corpus.ID
	Score float64
}

// Stats are the tenant's statistics in the generation, filters not applied.
type Stats struct {
	Chunks int   // passages
	Length int64 // sum of Entry.Length
	// Frequency is the number of passages that hold each of Lexical.Terms.
	Frequency []int
}

// Op is a comparison.
type Op string

// Comparisons.
const (
	Eq     Op = "eq"     // equals the one value
	In     Op = "in"     // equals one of the values
	Not    Op = "not"    // equals none of the values; holds where the field is missing
	Prefix Op = "prefix" // begins with the one value, which is text
	Range  Op = "range"  // Values[0] ≤ field ≤ Values[1]; nil leaves an end open
)

// Condition compares one field of the document. Fields of the record: source
// (its id), document (its id), path, type, title, language, modified and
// indexed (RFC 3339 or Unix seconds in ranges). Every other name is a metadata
// key; a list matches if one of its values does. Text compares exactly, byte
// by byte; numbers by value; text never equals a number, nor lies in a range
// with one. Record fields are never missing ("" is a value). Times compare by
// Instant and know no Prefix.
type Condition struct {
	Field  string
	Op     Op
	Values []any // string, float64, bool
}

// Filter is a conjunction.
type Filter []Condition

// maxValues of a condition: each of a caller's texts may mean a number or a
// truth value besides.
const maxValues = 2 * corpus.MaxFilterValues

// Validate checks bounds, operators and types.
func (f Filter) Validate() error {
	if len(f) > corpus.MaxFilterFields {
		return fmt.Errorf("%w: filter of %d conditions, at most %d", corpus.ErrLimit, len(f), corpus.MaxFilterFields)
	}
	for _, c := range f {
		if c.Field == "" {
			return fmt.Errorf("%w: filter without a field name", corpus.ErrInvalid)
		}
		if len(c.Values) > maxValues {
			return fmt.Errorf("%w: filter on %q has %d values, at most %d", corpus.ErrLimit, c.Field, len(c.Values), maxValues)
		}
		want := map[Op][2]int{Eq: {1, 1}, In: {1, maxValues}, Not: {1, maxValues}, Prefix: {1, 1}, Range: {2, 2}}
		n, ok := want[c.Op]
		if !ok {
			return fmt.Errorf("%w: filter on %q has the unknown operator %q", corpus.ErrInvalid, c.Field, c.Op)
		}
		if len(c.Values) < n[0] || len(c.Values) > n[1] {
			return fmt.Errorf("%w: filter %q on %q has %d values", corpus.ErrInvalid, c.Op, c.Field, len(c.Values))
		}
		for _, v := range c.Values {
			switch x := v.(type) {
			case string:
			case bool:
				if c.Op == Prefix || c.Op == Range {
					return fmt.Errorf("%w: filter %q on %q takes no boolean", corpus.ErrInvalid, c.Op, c.Field)
				}
			case float64:
				if math.IsNaN(x) || math.IsInf(x, 0) || c.Op == Prefix {
					return fmt.Errorf("%w: filter %q on %q has an unusable number", corpus.ErrInvalid, c.Op, c.Field)
				}
			case nil:
				if c.Op != Range {
					return fmt.Errorf("%w: filter %q on %q has no value", corpus.ErrInvalid, c.Op, c.Field)
				}
			default:
				return fmt.Errorf("%w: filter on %q has a %T", corpus.ErrInvalid, c.Field, v)
			}
		}
		if c.Op == Range && c.Values[0] == nil && c.Values[1] == nil {
			return fmt.Errorf("%w: range on %q is open at both ends", corpus.ErrInvalid, c.Field)
		}
		if IsTimeField(c.Field) {
			if c.Op == Prefix {
				return fmt.Errorf("%w: filter %q on the time %q", corpus.ErrInvalid, c.Op, c.Field)
			}
			for _, v := range c.Values {
				if _, err := Instant(v); v != nil && err != nil {
					return fmt.Errorf("filter on %q: %w", c.Field, err)
				}
			}
		}
	}
	return nil
}

// Instant reads a condition's value on a time field, RFC 3339 or Unix seconds,
// as microseconds since 1970 UTC: the resolution at which all stores compare.
func Instant(v any) (int64, error) {
	switch x := v.(type) {
	case string:
		t, err := time.Parse(time.RFC3339, x)
		if err != nil {
			return 0, fmt.Errorf("%w: %q is not a time (RFC 3339)", corpus.ErrInvalid, x)
		}
		return t.UnixMicro(), nil
	case float64:
		if math.Abs(x) > 1e12 {
			return 0, fmt.Errorf("%w: %g is not a time in Unix seconds", corpus.ErrInvalid, x)
		}
		return int64(math.Floor(x * 1e6)), nil
	}
	return 0, fmt.Errorf("%w: a %T is not a time", corpus.ErrInvalid, v)
}

// recordFields are the fields of a Condition that name the document's record.
var recordFields = []string{"source", "document", "path", "type", "title", "language", "modified", "indexed"}

// IsRecordField reports whether a condition's field is one of the record, not metadata.
func IsRecordField(name string) bool { return slices.Contains(recordFields, name) }

// IsTimeField reports whether a condition's field is a time of the record.
func IsTimeField(name string) bool { return name == "modified" || name == "indexed" }
