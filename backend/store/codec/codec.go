// Package codec says how a library's records are kept in the columns of a
// database, for the stores that keep the same: what has no column of its own is
// JSON, times are microseconds since 1970 UTC, and what is only compared is a
// key. All of it is pure.
//
// What it writes is in people's libraries: another form of it takes a migration.
package codec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Time is the reverse of time.Time.UnixMicro, the zero time included.
func Time(micro int64) time.Time { return time.UnixMicro(micro).UTC() }

// Maybe is a time that there may not be in microseconds: nil for the zero time.
func Maybe(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	micro := t.UnixMicro()
	return &micro
}

// MaybeTime is the reverse of Maybe.
func MaybeTime(micro *int64) time.Time {
	if micro == nil {
		return time.Time{}
	}
	return Time(*micro)
}

// Modified is a fingerprint's time as filters compare it, in microseconds.
func Modified(f corpus.Fingerprint) int64 { return time.Unix(0, f.ModTime).UnixMicro() }

// SpaceKey is the key of an embedding space, "" for none. Unlike Space.String
// it cannot be the same for two spaces.
func SpaceKey(s corpus.Space) string {
	if s == (corpus.Space{}) {
		return ""
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a struct of strings and a number
	}
	return string(b)
}

// digestBytes of a SHA-256 are kept of what is indexed: its entries are
// compared with others of one passage only.
const digestBytes = 16

// EntryDigest covers what is indexed of a passage beyond its text.
func EntryDigest(e *store.Entry) []byte {
	h := sha256.New()
	var b []byte
	for _, list := range [][]string{e.Whole, e.Parts, {string(e.Terms)}} {
		b = binary.AppendUvarint(b[:0], uint64(len(list)))
		for _, s := range list {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
		h.Write(b)
	}
	h.Write(binary.AppendUvarint(nil, uint64(e.Length)))
	return h.Sum(nil)[:digestBytes]
}

// EncodeEvent writes what has no column of its own: all but number and time.
func EncodeEvent(e store.Event) (string, error) {
	e.Seq, e.At = 0, time.Time{}
	b, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("encode event: %w", err)
	}
	return string(b), nil
}

// DecodeEvent is the reverse of EncodeEvent.
func DecodeEvent(seq, micro int64, record []byte) (store.Event, error) {
	var e store.Event
	if err := json.Unmarshal(record, &e); err != nil {
		return e, fmt.Errorf("decode event %d: %w", seq, err)
	}
	e.Seq, e.At = seq, Time(micro)
	return e, nil
}

// ChangeSource reads a source's record, if it was found, and returns the source
// as change makes it.
func ChangeSource(id corpus.ID, record []byte, found bool, change func(s *corpus.Source) error) (s corpus.Source, err error) {
	if !found {
		return s, fmt.Errorf("source %s: %w", id, corpus.ErrNotFound)
	}
	if err := json.Unmarshal(record, &s); err != nil {
		return s, err
	}
	if err := change(&s); err != nil {
		return s, err
	}
	s.ID = id
	return s, nil
}
