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

// Who only sends takes no batch from those who read, however many send at once.
func TestSendersLeaveTheBatches(t *testing.T) {
	all := newBatches(1)
	before := shelf
	shelf = all
	defer func() { shelf = before }()
	for range 100 {
		out := Borrow()
		defer out.Free()
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.unmade != 1 {
		t.Error("a batch is gone")
	}
}
