package fiber

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// What comes together is read together, and what is written meanwhile leaves when everybody has had his turn.
func TestWritesWaitForTheBatch(t *testing.T) {
	a, b := together(t)
	read := 0
	echo := func(r *rig) func(*Fiber) {
		return func(*Fiber) {
			var p [10]byte
			n, _ := r.Read(p[:])
			read++
			if n, err := r.Write(p[:n]); n != 2 || err != nil {
				t.Error(n, err)
			}
			if read != 2 {
				t.Error("written before the other was read")
			}
		}
	}
	ends := []chan struct{}{a.run(echo(a)), b.run(echo(b))}
	a.on(func() { // so that the loop hears of both at once
		a.say(t, "hi")
		b.say(t, "ho")
	})
	<-ends[0]
	<-ends[1]
	if a.hear(t, 2) != "hi" || b.hear(t, 2) != "ho" {
		t.Error("not what was written")
	}
}

// A write that waits for the batch fails as another does.
func TestPostedWriteFails(t *testing.T) {
	a, b := together(t)
	var failed [2]error
	write := func(r *rig, err *error) func(*Fiber) {
		return func(*Fiber) {
			var p [10]byte
			_, _ = r.Read(p[:])
			_, *err = r.Write(p[:1])
		}
	}
	ends := []chan struct{}{a.run(write(a, &failed[0])), b.run(write(b, &failed[1]))}
	a.on(func() {
		a.other.Close()
		b.say(t, "ho")
		b.Close() // its job comes after the batch
	})
	<-ends[0]
	<-ends[1]
	if failed[0] == nil || !errors.Is(failed[1], net.ErrClosed) {
		t.Error(failed)
	}
}

// What was fetched for somebody is his, also if the connection is closed before his turn; there is nothing after it.
func TestClosedBehindWhatWasFetched(t *testing.T) {
	a, b := together(t)
	var got, next result
	ends := []chan struct{}{a.run(func(*Fiber) {
		_, _ = a.Read(make([]byte, 10))
		_ = b.Close()
	}), b.run(func(*Fiber) {
		l := &lender{}
		got.n, got.err = b.ReadInto(l)
		next.n, next.err = b.ReadInto(l)
	})}
	a.on(func() {
		a.say(t, "hi")
		b.say(t, "ho!")
	})
	<-ends[0]
	<-ends[1]
	if got != (result{3, nil}) || next != (result{0, net.ErrClosed}) {
		t.Error(got, next)
	}
}

// A connection at rest that is closed between Fetch and Ready is told of as ready, and is seen to be closed.
func TestClosedAtRestBehindAFetch(t *testing.T) {
	a, b := together(t)
	<-b.run(func(*Fiber) { b.Rest() })
	done := a.run(func(*Fiber) {
		_, _ = a.Read(make([]byte, 10))
		_ = b.Close()
	})
	a.on(func() {
		a.say(t, "hi")
		b.say(t, "ho")
	})
	<-done
	<-b.ready
	b.on(func() {
		if b.waits != nothing || b.fetched {
			t.Error("it is at rest")
		}
		if _, err := b.TryRead(make([]byte, 10)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}

// A deadline that passes while a write waits for the batch is the write's end, and nobody is woken twice by it.
func TestDeadlineOfAPostedWrite(t *testing.T) {
	a, b := together(t)
	var failed, next error
	ends := []chan struct{}{a.run(func(*Fiber) {
		var p [10]byte
		_, _ = a.Read(p[:])
		_, failed = a.Write(p[:2])
		_, next = a.Read(p[:])
	}), b.run(func(*Fiber) {
		_, _ = b.Read(make([]byte, 10))
		if a.waits != posting {
			t.Error("there is no write")
		}
		_ = a.SetDeadline(time.Unix(1, 0))
	})}
	a.on(func() {
		a.say(t, "hi")
		b.say(t, "ho")
	})
	<-ends[0]
	<-ends[1]
	if !errors.Is(failed, os.ErrDeadlineExceeded) || !errors.Is(next, os.ErrDeadlineExceeded) {
		t.Error(failed, next)
	}
}

// Nothing to write is written at once, as without a batch.
func TestEmptyWriteInABatch(t *testing.T) {
	a, b := together(t)
	write := func(r *rig) func(*Fiber) {
		return func(*Fiber) {
			var p [10]byte
			_, _ = r.Read(p[:])
			if n, err := r.Write(nil); n != 0 || err != nil {
				t.Error(n, err)
			}
		}
	}
	ends := []chan struct{}{a.run(write(a)), b.run(write(b))}
	a.on(func() {
		a.say(t, "hi")
		b.say(t, "ho")
	})
	<-ends[0]
	<-ends[1]
}

// What was fetched for a fiber that may block is given to it away from the loop, like what it reads itself.
func TestFetchedForAFiberThatMayBlock(t *testing.T) {
	r := newRig(t)
	away := false
	done := r.run(func(f *Fiber) {
		f.Apart()
		if n, err := r.ReadInto(&lender{}); n != 2 || err != nil {
			t.Error(n, err)
		}
		away = f.away
	})
	for waits := false; !waits; {
		r.on(func() { waits = r.waits == reading })
	}
	r.say(t, "hi")
	<-done
	if !away {
		t.Error("it goes on on the loop")
	}
}

// A buffer is borrowed only for what has come.
func TestReadIntoALentBuffer(t *testing.T) {
	r := newRig(t)
	l := &lender{}
	var got [2]result
	done := r.run(func(*Fiber) {
		for i := range got {
			got[i].n, got[i].err = r.ReadInto(l)
		}
	})
	r.on(func() {
		if l.lent != 0 {
			t.Error("borrowed for nothing")
		}
	})
	r.say(t, "hello")
	for lent := 0; lent == 0; {
		r.on(func() { lent = l.lent })
	}
	r.other.Close()
	<-done
	if got[0] != (result{5, nil}) || string(l.buffer[:5]) != "hello" || got[1] != (result{0, io.EOF}) {
		t.Error(got)
	}
}

// together are two connections on one loop.
func together(t *testing.T) (a, b *rig) {
	a = newRig(t)
	return a, newRigAt(t, a.home)
}

func (r *rig) say(t *testing.T, words string) {
	t.Helper()
	if _, err := io.WriteString(r.other, words); err != nil {
		t.Error(err)
	}
}

func (r *rig) hear(t *testing.T, n int) string {
	t.Helper()
	p := make([]byte, n)
	if _, err := io.ReadFull(r.other, p); err != nil {
		t.Error(err)
	}
	return string(p)
}

type lender struct {
	buffer [100]byte
	lent   int
}

func (l *lender) Lend() []byte { l.lent++; return l.buffer[:] }
