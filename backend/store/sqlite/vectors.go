package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// PutVectors implements store.Writer.
func (r *role) PutVectors(ctx context.Context, space corpus.Space, vectors map[corpus.Hash][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	if err := store.ValidateVectors(space, MaxDimensions, vectors); err != nil {
		return fmt.Errorf("put vectors: %w", err)
	}
	return r.write(ctx, "put vectors", func(w *writeTx) error {
		num, err := w.putSpace(space)
		if err != nil {
			return err
		}
		var generations []int64
		if err := w.each("SELECT num FROM generations WHERE tenant = ? AND space = ?", []any{w.tenant, num}, func(scan func(...any) error) error {
			var g int64
			err := scan(&g)
			generations = append(generations, g)
			return err
		}); err != nil {
			return err
		}
		for input, v := range vectors {
			if err := w.putVector(num, generations, input, encodeVector(v)); err != nil {
				return err
			}
		}
		return nil
	})
}

// putVector stores one vector and gives it to the passages with its input.
func (w *writeTx) putVector(space int64, generations []int64, input corpus.Hash, vector []byte) error {
	var before []byte
	found, err := w.row("SELECT vector FROM vectors WHERE space = ? AND hash = ?", []any{space, input[:]}, &before)
	if err != nil {
		return err
	}
	uses := 0
	if !found || !bytes.Equal(before, vector) {
		for _, g := range generations {
			n, err := w.attach(g, input)
			if err != nil {
				return err
			}
			uses += n
		}
		w.changed = w.changed || uses > 0
	}
	if found {
		_, err = w.exec("UPDATE vectors SET vector = ?, used_at = ? WHERE space = ? AND hash = ?", vector, w.now, space, input[:])
	} else {
		_, err = w.exec("INSERT INTO vectors (tenant, space, hash, uses, used_at, vector) VALUES (?, ?, ?, ?, ?, ?)", w.tenant, space, input[:], uses, w.now, vector)
	}
	return err
}

// attach marks the generation's passages with the input as embedded in this
// revision, whether or not they were before, and returns how many there are.
func (w *writeTx) attach(generation int64, input corpus.Hash) (int, error) {
	waiting := map[int64]int{} // by document
	total := 0
	if err := w.each("SELECT document, embedded IS NULL FROM chunks WHERE generation = ? AND hash = ?", []any{generation, input[:]}, func(scan func(...any) error) error {
		var document int64
		var waits bool
		if err := scan(&document, &waits); err != nil {
			return err
		}
		total++
		if waits {
			waiting[document]++
		}
		return nil
	}); err != nil || total == 0 {
		return 0, err
	}
	if _, err := w.exec("UPDATE chunks SET embedded = ? WHERE generation = ? AND hash = ?", w.revision, generation, input[:]); err != nil {
		return 0, err
	}
	for document, n := range waiting {
		if _, err := w.exec("UPDATE made SET embedded = embedded + ? WHERE generation = ? AND document = ?", n, generation, document); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// keptRevisions is for how many revisions a scan in memory can catch up with
// removals before it has to be loaded again.
const keptRevisions = 10000

// Sweep implements store.Writer.
func (r *role) Sweep(ctx context.Context, before time.Time) (int64, error) {
	var deleted int64
	err := r.write(ctx, "sweep library", func(w *writeTx) error {
		var err error
		deleted, err = w.exec("DELETE FROM vectors WHERE tenant = ? AND uses = 0 AND used_at < ?", w.tenant, before.UnixMicro())
		if err != nil {
			return err
		}
		if _, err := w.exec(`DELETE FROM spaces WHERE tenant = ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = spaces.num)
			AND NOT EXISTS (SELECT 1 FROM generations g WHERE g.space = spaces.num)`, w.tenant); err != nil {
			return err
		}
		if _, err := w.exec("DELETE FROM gone WHERE generation IN (SELECT num FROM generations WHERE tenant = ?) AND revision < ?", w.tenant, w.revision-keptRevisions); err != nil {
			return err
		}
		return w.compact()
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

func decodeVector(v []float32, b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("vector of %d bytes", len(b))
	}
	v = v[:0]
	for ; len(b) > 0; b = b[4:] {
		v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return v, nil
}
