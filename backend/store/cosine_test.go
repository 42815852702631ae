package store_test

import (
	"math"
	"testing"

	"ibid/backend/store"
)

func TestCosine(t *testing.T) {
	tests := []struct {
		name string
		a, b []float32
		want float64
	}{
		{"itself", []float32{3, 4}, []float32{3, 4}, 1},
		{"of another length", []float32{3, 4}, []float32{6, 8}, 1},
		{"opposite", []float32{1, 0}, []float32{-2, 0}, -1},
		{"square", []float32{1, 0}, []float32{0, 5}, 0},
		{"between", []float32{1, 0}, []float32{1, 1}, math.Sqrt2 / 2},
		{"zero", []float32{0, 0}, []float32{1, 1}, math.NaN()},
		{"other dimensions", []float32{1}, []float32{1, 0}, math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := store.Cosine(tt.a, tt.b)
			if math.IsNaN(got) != math.IsNaN(tt.want) || math.Abs(got-tt.want) > 1e-15 {
				t.Errorf("Cosine = %v, want %v", got, tt.want)
			}
		})
	}
}
