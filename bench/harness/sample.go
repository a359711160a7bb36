package harness

import (
	"cmp"
	"slices"
)

// Median of some values, the lower one of two in the middle; zero of none.
func Median[T cmp.Ordered](values []T) (median T) { return Quantile(values, 0.5) }

// Quantile of some values by the nearest rank; zero of none.
func Quantile[T cmp.Ordered](values []T, q float64) (value T) {
	if len(values) == 0 {
		return value
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1))]
}

// Ratios divides round by round, so that what disturbed a round disturbs both sides of it.
func Ratios(above, below []float64) []float64 {
	var ratios []float64
	for i := range min(len(above), len(below)) {
		if below[i] > 0 {
			ratios = append(ratios, above[i]/below[i])
		}
	}
	return ratios
}
