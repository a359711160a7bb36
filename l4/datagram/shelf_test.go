package datagram

import (
	"testing"
	"testing/synctest"
)

// Who finds no batch has the next that is given back.
func TestBatchesAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newBatches(1)
		only := all.get()
		got := make(chan *Batch, 1)
		go func() { got <- all.get() }()
		synctest.Wait()
		if len(got) != 0 {
			t.Error("there are two")
		}
		all.put(only)
		synctest.Wait()
		if len(got) != 1 {
			t.Fatal("it still waits")
		}
		if next := <-got; next != only {
			t.Error("it has another one")
		}
	})
}
