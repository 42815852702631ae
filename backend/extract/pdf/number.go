package pdf

import (
	"math"
	"slices"
)

// quantile returns the value below which the share q of a list is; it sorts it.
func quantile(list []float32, q float64) float32 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[int(q*float64(len(list)-1))]
}

func round(x float32) float32 { return float32(math.Round(float64(x)*10) / 10) }
