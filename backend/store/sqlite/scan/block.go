// Package scan finds the nearest of many vectors exactly, and looks at most of
// them only in eight bits a component. It is pure.
//
// A vector of unit length is stored as a code: its components divided by a
// scale and rounded, with the length of what the rounding lost. By the
// Cauchy–Schwarz inequality the cosine of a query with the vector lies within
// that length of the query's product with the code. A scan therefore knows an
// interval for every cosine, and keeps the vectors that may be among the
// nearest; the caller compares these by their stored floats. No vector of the
// true result is ever lost, whatever the data.
package scan

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"ibid/backend/store/sqlite/bitset"
)

// ErrDamaged: a block is not what this package wrote.
var ErrDamaged = errors.New("vector codes are damaged")

// Row is a passage with its vector.
type Row struct {
	Num      uint64
	Document uint64
	Vector   []float32 // finite, not zero
}

// Block holds the codes of some rows. It is immutable and shares the memory of
// the bytes that it was decoded from.
type Block struct {
	dimensions int
	Nums       []uint64
	documents  []uint64
	scales     []float32
	losses     []float32 // length of the rounding error, rounded up
	codes      []byte    // int8, row after row
}

// rowHeader is the size of a row without its code: number, document, scale, loss.
const rowHeader = 8 + 8 + 4 + 4

// Encode returns the bytes of a block of rows.
func Encode(dimensions int, rows []Row) []byte {
	b := make([]byte, 0, len(rows)*(rowHeader+dimensions))
	codes := make([]byte, 0, len(rows)*dimensions)
	for _, r := range rows {
		var scale, loss float32
		codes, scale, loss = appendCode(codes, r.Vector)
		b = binary.LittleEndian.AppendUint64(b, r.Num)
		b = binary.LittleEndian.AppendUint64(b, r.Document)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(loss))
	}
	return append(b, codes...)
}

// appendCode appends the vector's code.
func appendCode(b []byte, v []float32) (code []byte, scale, loss float32) {
	norm, peak := measure(v)
	step := peak / norm / 127
	var lost float64
	for _, x := range v {
		u := float64(x) / norm
		c := math.Round(u / step)
		b = append(b, byte(int8(c)))
		lost += (u - c*step) * (u - c*step)
	}
	// The scale is kept in 32 bits; what that changes is part of the loss, as
	// is the rounding of the sum itself.
	scale = float32(step)
	rounded := math.Abs(float64(scale)-step) * 127 * math.Sqrt(float64(len(v)))
	return b, scale, math.Nextafter32(float32(math.Sqrt(lost)+rounded+1e-6), 2)
}

// measure returns a vector's length and the largest magnitude of a component.
func measure(v []float32) (norm, peak float64) {
	for _, x := range v {
		norm += float64(x) * float64(x)
		peak = max(peak, math.Abs(float64(x)))
	}
	return math.Sqrt(norm), peak
}

// Decode reads a block.
func Decode(dimensions int, b []byte) (*Block, error) {
	if dimensions <= 0 || len(b)%(rowHeader+dimensions) != 0 {
		return nil, ErrDamaged
	}
	n := len(b) / (rowHeader + dimensions)
	blk := &Block{
		dimensions: dimensions,
		Nums:       make([]uint64, n),
		documents:  make([]uint64, n),
		scales:     make([]float32, n),
		losses:     make([]float32, n),
		codes:      b[n*rowHeader:],
	}
	for i := range n {
		h := b[i*rowHeader:]
		blk.Nums[i] = binary.LittleEndian.Uint64(h)
		blk.documents[i] = binary.LittleEndian.Uint64(h[8:])
		blk.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(h[16:]))
		blk.losses[i] = math.Float32frombits(binary.LittleEndian.Uint32(h[20:]))
		if !(blk.scales[i] >= 0 && blk.losses[i] >= 0 && blk.losses[i] < 2) { // also not NaN
			return nil, ErrDamaged
		}
	}
	return blk, nil
}

// Len returns the number of rows, dead ones included.
func (b *Block) Len() int { return len(b.Nums) }

// code returns the row's code.
func (b *Block) code(i int) []int8 {
	c := b.codes[i*b.dimensions : (i+1)*b.dimensions]
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(c))), len(c))
}

// Join returns the bytes of one block of the living rows of several; dead[i]
// are places in blocks[i].
func Join(blocks []*Block, dead []bitset.Set) []byte {
	var b, codes []byte
	for i, blk := range blocks {
		for k := range blk.Nums {
			if dead[i].Has(uint64(k)) {
				continue
			}
			b = binary.LittleEndian.AppendUint64(b, blk.Nums[k])
			b = binary.LittleEndian.AppendUint64(b, blk.documents[k])
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(blk.scales[k]))
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(blk.losses[k]))
			codes = append(codes, blk.codes[k*blk.dimensions:(k+1)*blk.dimensions]...)
		}
	}
	return append(b, codes...)
}

// Row returns one row as the bytes of a block of its own.
func (b *Block) Row(i int) []byte {
	row := binary.LittleEndian.AppendUint64(make([]byte, 0, rowHeader+b.dimensions), b.Nums[i])
	row = binary.LittleEndian.AppendUint64(row, b.documents[i])
	row = binary.LittleEndian.AppendUint32(row, math.Float32bits(b.scales[i]))
	row = binary.LittleEndian.AppendUint32(row, math.Float32bits(b.losses[i]))
	return append(row, b.codes[i*b.dimensions:(i+1)*b.dimensions]...)
}
