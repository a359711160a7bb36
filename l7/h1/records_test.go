package h1

import (
	"slices"
	"testing"
)

// However a stream is cut, its records are counted where they end.
func TestRecordsAreCounted(t *testing.T) {
	record := func(n int) []byte { return append([]byte{23, 3, 3, byte(n >> 8), byte(n)}, make([]byte, n)...) }
	stream := slices.Concat(record(1), record(300), record(0), record(2))
	ends := []int{6, 311, 316, 323}
	for size := 1; size <= len(stream); size++ {
		var r records
		passed := 0
		for part := range slices.Chunk(stream, size) {
			r.pass(part)
			passed += len(part)
			complete := len(slices.DeleteFunc(slices.Clone(ends), func(end int) bool { return end > passed }))
			if r.whole != complete || r.between() != slices.Contains(ends, passed) {
				t.Fatalf("after %d bytes by %d: %d records, between two: %v", passed, size, r.whole, r.between())
			}
		}
	}
}
