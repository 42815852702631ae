package embed_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

func TestValidate(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := map[string]struct {
		vectors [][]float32
		count   int
		want    string // part of the error; "" for none
	}{
		"none for none":        {nil, 0, ""},
		"unit vectors":         {[][]float32{{1, 0}, {0.6, -0.8}}, 2, ""},
		"rounded unit vector":  {[][]float32{{0.601, -0.799}}, 1, ""},
		"too few":              {[][]float32{{1, 0}}, 2, "1 vectors for 2 texts"},
		"too many":             {[][]float32{{1, 0}}, 0, "1 vectors for 0 texts"},
		"too short":            {[][]float32{{1, 0}, {1}}, 2, "vector 1 has 1 dimensions, the space has 2"},
		"too long":             {[][]float32{{1, 0, 0}}, 1, "vector 0 has 3 dimensions"},
		"missing":              {[][]float32{nil}, 1, "vector 0 has 0 dimensions"},
		"not a number":         {[][]float32{{1, 0}, {nan, 1}}, 2, "vector 1 is not finite"},
		"infinite":             {[][]float32{{1, inf}}, 1, "vector 0 is not finite"},
		"zero":                 {[][]float32{{0, 0}}, 1, "vector 0 is zero"},
		"not normalised":       {[][]float32{{3, 4}}, 1, "vector 0 has length 5 instead of 1"},
		"as large as possible": {[][]float32{{math.MaxFloat32, math.MaxFloat32}}, 1, "vector 0 has length"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := embed.Validate(tt.vectors, tt.count, corpus.Space{Dimensions: 2})
			switch {
			case tt.want == "":
				if err != nil {
					t.Errorf("error %v", err)
				}
			case !errors.Is(err, corpus.ErrInvalid) || !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %v, want ErrInvalid with %q", err, tt.want)
			}
		})
	}
}

func TestNormalize(t *testing.T) {
	tests := map[string]struct {
		v, want []float32
		ok      bool
	}{
		"long":       {[]float32{3, 4}, []float32{0.6, 0.8}, true},
		"very short": {[]float32{0, -1e-30}, []float32{0, -1}, true},
		"zero":       {[]float32{0, 0}, []float32{0, 0}, false},
		"infinite":   {[]float32{float32(math.Inf(-1)), 1}, []float32{float32(math.Inf(-1)), 1}, false},
		"empty":      {nil, nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if ok := embed.Normalize(tt.v); ok != tt.ok {
				t.Errorf("Normalize reports %v", ok)
			}
			for i := range tt.want {
				if tt.v[i] != tt.want[i] {
					t.Errorf("component %d is %v, want %v", i, tt.v[i], tt.want[i])
				}
			}
		})
	}
}
