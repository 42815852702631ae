package corpus

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// ID is a UUID (RFC 9562).
type ID [16]byte

// NoID is the nil UUID: no such thing.
var NoID ID

// LocalTenant is the tenant of a library that belongs to one person.
var LocalTenant = DeriveID(NoID, "ibid", "local")

// NewID returns a random (version 4) UUID.
func NewID() ID {
	var id ID
	rand.Read(id[:]) // never fails (crypto/rand since Go 1.24)
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

// DeriveID returns the version 5 UUID of parts in the namespace ns. Each part
// is preceded by its length, so ("a","bc") and ("ab","c") differ.
func DeriveID(ns ID, parts ...string) ID {
	h := sha1.New()
	h.Write(ns[:])
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var id ID
	copy(id[:], h.Sum(nil))
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return id
}

// ParseID reads the 36-character form.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return NoID, fmt.Errorf("parse id %q: not a UUID", s)
	}
	raw := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	if _, err := hex.Decode(id[:], []byte(raw)); err != nil {
		return NoID, fmt.Errorf("parse id %q: not a UUID", s)
	}
	return id, nil
}

// String returns the 36-character form.
func (id ID) String() string {
	var b [36]byte
	hex.Encode(b[:8], id[:4])
	hex.Encode(b[9:13], id[4:6])
	hex.Encode(b[14:18], id[6:8])
	hex.Encode(b[19:23], id[8:10])
	hex.Encode(b[24:], id[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// IsZero reports whether id is NoID.
func (id ID) IsZero() bool { return id == NoID }

// MarshalText writes the 36-character form.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the 36-character form.
func (id *ID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseID(string(b))
	return err
}
