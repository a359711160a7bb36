package scaler

import (
	"context"
	"math/rand/v2"
	"time"
)

const longestWait = 10 * time.Second

// wait is a doubling, jittered, capped back-off.
type wait struct{ next time.Duration }

func backoff(first time.Duration) *wait { return &wait{next: first} }

// sleep waits, or returns early when ctx ends.
func (w *wait) sleep(ctx context.Context) {
	timer := time.NewTimer(w.next/2 + rand.N(w.next/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	w.next = min(2*w.next, longestWait)
}
