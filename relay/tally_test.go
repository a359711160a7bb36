package relay

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTallyWaitsForTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tally := NewTally()
		tally.Begin()
		var over atomic.Bool
		go func() { tally.Wait(); over.Store(true) }()
		synctest.Wait()
		if !tally.Begin() { // while one runs, another may follow from it
			t.Error("none may begin although one runs")
		}
		tally.End()
		time.Sleep(time.Second)
		if over.Load() {
			t.Error("it did not wait for the last one")
		}
		tally.End()
		synctest.Wait()
		if !over.Load() {
			t.Error("it waits for ever")
		}
		if tally.Begin() {
			t.Error("one begins after the end")
		}
		tally.Wait() // again
	})
}

// What begins at the very moment of the end is either waited for, or does not begin.
func TestTallyAtTheMomentOfTheEnd(t *testing.T) {
	for range 2000 {
		tally := NewTally()
		var running atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for tally.Begin() {
					running.Add(1)
					running.Add(-1)
					tally.End()
				}
			})
		}
		tally.Wait()
		if n := running.Load(); n != 0 {
			t.Fatalf("%d run after the end", n)
		}
		all.Wait()
	}
}
