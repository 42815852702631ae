package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite/scan"
)

// PutVectors implements store.Writer.
func (r *role) PutVectors(ctx context.Context, space corpus.Space, vectors map[corpus.Hash][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	if err := store.ValidateVectors(space, maxDimensions, vectors); err != nil {
		return fmt.Errorf("put vectors: %w", err)
	}
	return r.write(ctx, "put vectors", func(w *writeTx) error {
		num, err := w.putSpace(ctx, space)
		if err != nil {
			return err
		}
		all, err := readGenerations(ctx, w.tx, w.tenant)
		if err != nil {
			return err
		}
		var changes []*indexChange
		for _, g := range all {
			if g.space == num {
				changes = append(changes, &indexChange{generation: g})
			}
		}
		for input, v := range vectors {
			if err := w.putVector(ctx, num, changes, input, v); err != nil {
				return err
			}
		}
		for _, x := range changes {
			if err := w.finish(ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

// putVector stores one vector and gives it to the passages with its input.
func (w *writeTx) putVector(ctx context.Context, space int64, changes []*indexChange, input corpus.Hash, v []float32) error {
	encoded := encodeVector(v)
	var before []byte
	found, err := w.row(ctx, "SELECT vector FROM vectors WHERE space = ? AND hash = ?", []any{space, input[:]}, &before)
	if err != nil {
		return err
	}
	if found && bytes.Equal(before, encoded) {
		_, err = w.exec(ctx, "UPDATE vectors SET used_at = ? WHERE space = ? AND hash = ?", w.now, space, input[:])
		return err
	}
	uses := 0
	for _, x := range changes {
		n, err := w.attach(ctx, x, input, v)
		if err != nil {
			return err
		}
		uses += n
	}
	w.changed = w.changed || uses > 0
	if found {
		_, err = w.exec(ctx, "UPDATE vectors SET vector = ?, used_at = ? WHERE space = ? AND hash = ?", encoded, w.now, space, input[:])
	} else {
		_, err = w.exec(ctx, "INSERT INTO vectors (tenant, space, hash, uses, used_at, vector) VALUES (?, ?, ?, ?, ?, ?)", w.tenant, space, input[:], uses, w.now, encoded)
	}
	return err
}

// attach gives a vector to the generation's passages with its input, whether
// or not they had another, and returns how many there are.
func (w *writeTx) attach(ctx context.Context, x *indexChange, input corpus.Hash, v []float32) (int, error) {
	waiting := map[int64]int{} // by document
	total := 0
	if err := w.each(ctx, "SELECT num, document, embedded FROM chunks WHERE generation = ? AND hash = ?", []any{x.num, input[:]}, func(read func(...any) error) error {
		var num, document int64
		var embedded *int64
		if err := read(&num, &document, &embedded); err != nil {
			return err
		}
		total++
		if embedded == nil {
			waiting[document]++
		} else {
			x.lost = append(x.lost, codedChunk{uint64(num), *embedded})
		}
		x.embedded = append(x.embedded, scan.Row{Num: uint64(num), Document: uint64(document), Vector: v})
		return nil
	}); err != nil || total == 0 {
		return 0, err
	}
	if _, err := w.exec(ctx, "UPDATE chunks SET embedded = ? WHERE generation = ? AND hash = ?", w.revision, x.num, input[:]); err != nil {
		return 0, err
	}
	for document, n := range waiting {
		if _, err := w.exec(ctx, "UPDATE made SET embedded = embedded + ? WHERE generation = ? AND document = ?", n, x.num, document); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// vector returns the stored vector of an input; there must be one.
func (w *writeTx) vector(ctx context.Context, space int64, input corpus.Hash) ([]float32, error) {
	var b []byte
	found, err := w.row(ctx, "SELECT vector FROM vectors WHERE space = ? AND hash = ?", []any{space, input[:]}, &b)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("vector of input %s is missing", input)
	}
	return decodeVector(nil, b)
}

// Sweep implements store.Writer.
func (r *role) Sweep(ctx context.Context, before time.Time) (int64, error) {
	var deleted int64
	err := r.write(ctx, "sweep library", func(w *writeTx) error {
		var err error
		deleted, err = w.exec(ctx, "DELETE FROM vectors WHERE tenant = ? AND uses = 0 AND used_at < ?", w.tenant, before.UnixMicro())
		if err != nil {
			return err
		}
		if _, err := w.exec(ctx, `DELETE FROM spaces WHERE tenant = ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = spaces.num)
			AND NOT EXISTS (SELECT 1 FROM generations g WHERE g.space = spaces.num)`, w.tenant); err != nil {
			return err
		}
		return w.compact(ctx)
	})
	return deleted, err
}

// encodeVector returns the components as float32 little-endian.
func encodeVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// errVector: a stored vector is not what this package wrote.
var errVector = errors.New("a vector is damaged")

func decodeVector(v []float32, b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%w: it has %d bytes", errVector, len(b))
	}
	v = v[:0]
	for ; len(b) > 0; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v, nil
}
