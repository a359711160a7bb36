package l4

import (
	"testing"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// case B148: a source with many ports waits with a quarter of hold.queue at most, and who comes from elsewhere still gets
// in. The places are free again when the app is there.
func TestOneSourceDoesNotFillTheQueue(t *testing.T) {
	const queue = 8
	w := udpWorld(t, func(a *conf.App) { a.Hold.Queue = queue })
	for range 2 * queue {
		if _, err := w.udpClientFrom("127.0.0.8").Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	full := w.front.metrics.drops.WithLabelValues("db", pool.Full.String())
	w.eventually("the rest is refused", func() bool { return valueOf(full) == 2*queue-queue/crowdShare })
	other := w.udpClientFrom("127.0.0.9")
	if _, err := other.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	w.eventually("somebody else waits", func() bool { return w.front.sessions.count() == queue/crowdShare+1 })
	w.answers("r1", echoed)
	if got := next(t, other); got != "hello" {
		t.Errorf("got %q", got)
	}
	w.eventually("nobody is held", func() bool {
		w.front.crowds.mu.Lock()
		defer w.front.crowds.mu.Unlock()
		return len(w.front.crowds.of) == 0
	})
}
