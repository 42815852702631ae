package extract

import (
	"archive/zip"
	"bytes"
)

// What reading, dividing and indexing a document takes in memory, roughly: so
// many times its bytes, for each of its pieces (lines, elements, control words)
// so many bytes, and for archives so many times what they unpack to.
const (
	weightByte     = 12
	weightPiece    = 384
	weightUnpacked = 8
)

// Weight estimates how many bytes of memory it takes to read and index a
// document, from above for what is denser than text that people write: a file of
// 2 MB may have 500,000 blocks, and an archive a hundred times its size inside.
// It is no bound; limits are.
func Weight(data []byte) int64 {
	size := int64(len(data))
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		r, err := zip.NewReader(bytes.NewReader(data), size)
		if err != nil {
			return weightByte * size // it will not be read
		}
		unpacked := int64(0)
		for _, f := range r.File {
			unpacked += int64(min(f.UncompressedSize64, 1<<32)) // says the archive
		}
		return max(weightByte*size, weightUnpacked*unpacked)
	}
	pieces := 0
	for _, sign := range []string{"\n", "<", `\`} {
		pieces = max(pieces, bytes.Count(data, []byte(sign)))
	}
	return weightByte*size + weightPiece*int64(pieces)
}
