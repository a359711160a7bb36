package relay

import "testing"

// The size follows the traffic: an idle direction gives the large buffer back.
func TestBufferFits(t *testing.T) {
	var b buffer
	defer b.free()
	for _, step := range []struct{ n, want int }{
		{100, smallBuffer}, {smallBuffer, largeBuffer}, {largeBuffer, largeBuffer}, {smallBuffer, largeBuffer}, {100, smallBuffer},
	} {
		b.bytes()
		b.fit(step.n)
		if got := len(b.bytes()); got != step.want {
			t.Errorf("after %d bytes it holds %d, want %d", step.n, got, step.want)
		}
	}
}
