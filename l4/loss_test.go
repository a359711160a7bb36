package l4

import (
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// What cannot be dialled is told, and another replica is taken in the same connection.
func TestDialFailureGoesOn(t *testing.T) {
	w := newWorld(t, nil)
	w.refuses("r1")
	w.report.does(func(lease pool.Lease) {
		suspects(lease)
		w.serves("r2", true, says("hello"))
	})
	hear(t, w.client(), "hello")
	if got := w.report.list(); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("reported %v", got)
	}
}

// A replica that is found alive although it refused is tried again, but not at once: no dial storm (P5).
func TestRefusedIsNotDialledAgainAtOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.refuses("r1")
	client := w.client()
	w.eventually("it is told", func() bool { return len(w.report.list()) > 0 })
	time.Sleep(pool.AgainAfter / 2)
	if got := w.report.list(); len(got) != 1 {
		t.Errorf("dialled %d times in %s", len(got), pool.AgainAfter/2)
	}
	w.serves("r2", true, says("hello"))
	hear(t, client, "hello")
}

// Behind a published port a connection that ends before any byte is a failed dial.
func TestEndedAtOnceGoesOn(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", false, closes)
	w.report.does(func(lease pool.Lease) {
		suspects(lease)
		w.serves("r2", false, echo)
	})
	client := w.client()
	w.eventually("it is told", func() bool { return len(w.report.list()) == 1 })
	say(t, client, "hello")
	hear(t, client, "hello")
}

// The attempt after a failed one leaves the client's bytes where they are until the app has shown itself.
func TestCarefulAfterAFailure(t *testing.T) {
	w := newWorld(t, nil)
	var taken atomic.Int64
	endsLate := func(conn *net.TCPConn) {
		_ = conn.SetReadDeadline(time.Now().Add(provenAfter / 3))
		n, _ := conn.Read(make([]byte, 10))
		taken.Add(int64(n))
	}
	w.serves("r1", false, closes)
	w.report.does(func(lease pool.Lease) {
		suspects(lease)
		if len(w.report.list()) == 1 {
			w.serves("r2", false, endsLate)
		} else {
			w.serves("r3", false, echo)
		}
	})
	client := w.client()
	w.eventually("it is told", func() bool { return len(w.report.list()) == 1 })
	say(t, client, "once")
	hear(t, client, "once")
	if n := taken.Load(); n != 0 {
		t.Errorf("%d bytes went to a replica that had not shown itself", n)
	}
}

// What was handed to an upstream is never handed to another one: the app may have acted on it.
func TestSentBytesAreNotSentAgain(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", false, func(conn *net.TCPConn) { _, _ = io.ReadFull(conn, make([]byte, 6)) })
	var second atomic.Int64
	w.report.does(func(lease pool.Lease) {
		suspects(lease)
		w.serves("r2", false, func(conn *net.TCPConn) { second.Add(1); echo(conn) })
	})
	client := w.client()
	say(t, client, "INSERT")
	wantEnd(t, client)
	w.eventually("it is told", func() bool { return len(w.report.list()) == 1 }) // others are spared
	if second.Load() > 0 {
		t.Error("another replica was tried")
	}
}

// An app that closes without a word, as it may, does not go round for ever, nor out of the pick each time.
func TestAppThatOnlyCloses(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", false, closes)
	for range 3 {
		wantEnd(t, w.client())
	}
	if got := w.report.list(); len(got) != 1 {
		t.Errorf("reported %d times: %v", len(got), w.report.causes)
	}
}

// By the container's own address the same is the app's answer, and nothing is reported.
func TestAppThatOnlyClosesByAddress(t *testing.T) {
	w := newWorld(t, nil)
	w.serves("r1", true, closes)
	wantEnd(t, w.client())
	if got := w.report.list(); len(got) != 0 {
		t.Errorf("reported %v", got)
	}
}

// A dial ends with the start: what stands for a dead address takes seconds to say so.
func TestDialEndsWithTheStart(t *testing.T) {
	w := newWorld(t, nil)
	full := w.listener() // an accept queue that nobody empties
	backlogOf(t, full, 1)
	fillQueue(t, full.Addr().String())
	w.ready("r1", full.Addr(), true)
	client := w.client()
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	w.app.Remove("r1", 0)
	w.serves("r2", true, says("hello"))
	hear(t, client, "hello")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %s", took)
	}
}
