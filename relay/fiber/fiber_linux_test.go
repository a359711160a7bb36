package fiber

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// rig is a connection on a loop, and its other end.
type rig struct {
	*Conn
	home           *Home
	other          net.Conn
	left           atomic.Bool
	ready, expired chan struct{}
}

func (r *rig) Ready()   { r.ready <- struct{}{} }
func (r *rig) Expired() { r.expired <- struct{}{} }

func (r *rig) Fetch() {}
func (r *rig) Left()  { r.left.Store(true) }

func newRig(t *testing.T) *rig { return newRigAt(t, Of(loop.Shared().Pick())) }

func newRigAt(t *testing.T, home *Home) *rig {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[1]), "")
	defer file.Close()
	r := &rig{home: home, ready: make(chan struct{}, 1), expired: make(chan struct{}, 1)}
	if r.other, err = net.FileConn(file); err != nil {
		t.Fatal(err)
	}
	r.Conn = r.home.NewConn(pair[0], nil, nil, r)
	r.on(func() { err = r.Add() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); r.other.Close() })
	return r
}

func (r *rig) on(f func()) {
	done := make(chan struct{})
	r.home.loop.Do(func() { f(); close(done) })
	<-done
}

type task func(*Fiber)

func (t task) Run(f *Fiber) { t(f) }

// run runs a task that has the connection, and returns what tells of its end.
func (r *rig) run(f func(f *Fiber)) (done chan struct{}) {
	done = make(chan struct{})
	r.home.loop.Do(func() {
		r.home.Start(task(func(own *Fiber) {
			defer close(done)
			r.Bind(own)
			f(own)
		}))
	})
	return done
}

func TestReadWaitsAndWritesGoOut(t *testing.T) {
	r := newRig(t)
	done := r.run(func(*Fiber) {
		for {
			var p [100]byte
			n, err := r.Read(p[:])
			if err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return
			}
			r.Write(p[:n])
		}
	})
	for range 100 {
		r.other.Write([]byte("hello"))
		var p [5]byte
		if _, err := io.ReadFull(r.other, p[:]); err != nil || string(p[:]) != "hello" {
			t.Fatal(err, p)
		}
	}
	r.other.(*net.UnixConn).CloseWrite()
	<-done
	if !r.left.Load() {
		t.Error("nobody was told that the peer has left")
	}
}

// What does not fit into the socket's buffer goes out as the peer reads, in pieces too.
func TestWriteWaitsForRoom(t *testing.T) {
	for name, write := range map[string]func(c *Conn, p []byte) (int64, error){
		"one": func(c *Conn, p []byte) (int64, error) { n, err := c.Write(p); return int64(n), err },
		"pieces": func(c *Conn, p []byte) (int64, error) {
			v := net.Buffers{p[:1], nil, p[1:1000], p[1000:500000], p[500000:]}
			return c.WriteBuffers(&v)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			sent := make([]byte, 3<<20)
			for i := range sent {
				sent[i] = byte(i * 7 / 3)
			}
			done := r.run(func(*Fiber) {
				if n, err := write(r.Conn, sent); n != int64(len(sent)) || err != nil {
					t.Error(n, err)
				}
				r.CloseWrite()
			})
			got, err := io.ReadAll(r.other)
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes came, %v", len(got), err)
			}
			<-done
		})
	}
}

func TestDeadlines(t *testing.T) {
	r := newRig(t)
	<-r.run(func(*Fiber) {
		began := time.Now()
		r.SetReadDeadline(began.Add(30 * time.Millisecond))
		var p [1]byte
		if _, err := r.Read(p[:]); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) < 30*time.Millisecond {
			t.Error(err, time.Since(began))
		}
		r.SetWriteDeadline(time.Now().Add(30 * time.Millisecond))
		if _, err := r.Write(make([]byte, 8<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		r.SetDeadline(time.Time{})
		r.SetReadDeadline(time.Now().Add(time.Hour))
	})
	done := r.run(func(*Fiber) {
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
	for r.on(func() {}); !r.waiting.Load(); {
	}
	r.SetReadDeadline(time.Unix(1, 0)) // by somebody else
	<-done
}

func TestCloseWakes(t *testing.T) {
	r := newRig(t)
	done := r.run(func(*Fiber) {
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if _, err := r.Write(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	r.Close()
	<-done
	if _, err := r.other.Read(make([]byte, 1)); err == nil {
		t.Error("the socket is open")
	}
}

// A fiber that waits for something else does not hold up its loop, and comes back to it.
func TestMayBlock(t *testing.T) {
	r := newRig(t)
	until, onLoop := make(chan struct{}), false
	done := r.run(func(f *Fiber) {
		f.MayBlock()
		<-until
		r.Write([]byte("x"))
		onLoop = !f.away
		f.Apart()
		<-until
		r.Write([]byte("y"))
		onLoop = onLoop && f.away
		f.Together()
		r.Write([]byte("z"))
		onLoop = onLoop && !f.away
	})
	r.on(func() {})
	close(until)
	<-done
	if !onLoop {
		t.Error("it was not where it should have been")
	}
	r.on(func() {
		if f := r.home.spare[len(r.home.spare)-1]; f.away || f.apart {
			t.Error("the next task begins away from the loop")
		}
	})
}

func TestRest(t *testing.T) {
	r := newRig(t)
	<-r.run(func(*Fiber) { r.Rest() })
	r.other.Write([]byte("x"))
	<-r.ready
	<-r.run(func(*Fiber) {
		var p [2]byte
		if n, err := r.Read(p[:]); n != 1 || err != nil {
			t.Error(n, err)
		}
		if r.Readable() || !r.Quiet() {
			t.Error("there is nothing more to read")
		}
		r.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		r.Rest()
	})
	<-r.expired
	r.other.Write([]byte("x"))
	for quiet := true; quiet; {
		r.on(func() { quiet = r.Quiet() })
	}
}

// Whoever always finds something to read must not keep the loop to himself.
func TestTurnsAreBounded(t *testing.T) {
	r := newRig(t)
	stop := make(chan struct{})
	go func() {
		for {
			if _, err := r.other.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}()
	done := r.run(func(*Fiber) {
		p := make([]byte, 512)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := r.Read(p); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 100 {
		r.on(func() {})
	}
	close(stop)
	<-done
}

func TestDetach(t *testing.T) {
	r := newRig(t)
	var conn net.Conn
	var err error
	<-r.run(func(*Fiber) { conn, err = r.Detach() })
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r.other.Write([]byte("x"))
	if n, err := conn.Read(make([]byte, 2)); n != 1 || err != nil {
		t.Error(n, err)
	}
	if _, err := r.TryRead(nil); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestAdopt(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r := &rig{home: Of(loop.Shared().Pick())}
	if r.Conn, err = r.home.Adopt(out.(*net.TCPConn), r); err != nil {
		t.Fatal(err)
	}
	r.on(func() { err = r.Add() })
	if err != nil {
		t.Fatal(err)
	}
	<-r.run(func(*Fiber) { r.Write([]byte("x")); r.SetLinger(0); r.Close() })
	if n, err := other.Read(make([]byte, 2)); n != 1 && !errors.Is(err, unix.ECONNRESET) {
		t.Error(n, err)
	}
	if _, err := other.Read(make([]byte, 2)); !errors.Is(err, unix.ECONNRESET) {
		t.Error(err)
	}
}

// switches is the cost of what a request pays for not being a callback.
type switches struct{ f *Fiber }

func (s *switches) Run(f *Fiber) {
	s.f = f
	for {
		f.await()
	}
}

func BenchmarkSwitch(b *testing.B) {
	h := &Home{}
	s := &switches{}
	h.Start(s)
	for b.Loop() {
		s.f.resume()
	}
}
