package source

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mark is what corpus.Source.Mark records of a root when it was last scanned
// as a whole: which folder it was, a sample of its paths, and where other
// volumes were mounted inside.
//
// Device and inode tell exactly, but a volume may have other numbers when it
// is mounted again, and a copy has others for sure. Then the sample decides:
// where most of its paths are found again it is the same place, else
// another volume stands there.
type mark struct {
	root   identity
	sample []uint64
	mounts []string
}

// sampleSize is how many paths are kept: those with the smallest hashes, so
// that every path has the same chance.
const sampleSize = 16

// parseMark reads String's result; anything else is the mark of no root.
func parseMark(s string) mark {
	var m mark
	parts := strings.Split(s, " ")
	device, inode, ok := strings.Cut(parts[0], ":")
	if !ok || len(parts) != 3 {
		return m
	}
	var err [2]error
	m.root.device, err[0] = strconv.ParseUint(device, 16, 64)
	m.root.inode, err[1] = strconv.ParseUint(inode, 16, 64)
	if err[0] != nil || err[1] != nil {
		return mark{}
	}
	for _, h := range list(parts[1]) {
		if n, err := strconv.ParseUint(h, 16, 64); err == nil {
			m.sample = append(m.sample, n)
		}
	}
	for _, p := range list(parts[2]) {
		if p, err := url.PathUnescape(p); err == nil {
			m.mounts = append(m.mounts, p)
		}
	}
	return m
}

// list splits "[a,b]".
func list(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func (m mark) String() string {
	hashes := make([]string, len(m.sample))
	for i, h := range m.sample {
		hashes[i] = strconv.FormatUint(h, 16)
	}
	mounts := make([]string, len(m.mounts))
	for i, p := range m.mounts {
		mounts[i] = strings.ReplaceAll(url.PathEscape(p), ",", "%2C")
	}
	return strconv.FormatUint(m.root.device, 16) + ":" + strconv.FormatUint(m.root.inode, 16) +
		" [" + strings.Join(hashes, ",") + "] [" + strings.Join(mounts, ",") + "]"
}

// add takes a path into the sample.
func (m *mark) add(key string) {
	h := pathHash(key)
	if len(m.sample) == sampleSize && h >= m.sample[sampleSize-1] {
		return
	}
	at, found := slices.BinarySearch(m.sample, h)
	if found {
		return
	}
	m.sample = slices.Insert(m.sample, at, h)
	m.sample = m.sample[:min(len(m.sample), sampleSize)]
}

func pathHash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64() * 0x9e3779b97f4a7c15 // spread what FNV leaves in the low bits
}

// exchangedRoot begins what a scan says of a root whose mark is another.
const exchangedRoot = "another folder or volume"

// Exchanged reports whether that is why a scan was unavailable.
func Exchanged(reason string) bool { return strings.HasPrefix(reason, exchangedRoot) }
