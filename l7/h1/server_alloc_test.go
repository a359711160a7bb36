//go:build !race

// The race detector makes sync.Pool forget at random.

package h1

import (
	"context"
	"net"
	goruntime "runtime"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

const kept = "GET /b/100?x=y HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: test\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n"

var small = fields.List{{Name: "Content-Type", Value: "text/plain"}, {Name: "Date", Value: "Mon, 30 Nov 2026 10:00:00 GMT"}}

var hi = []byte("hi")

// smalls answers as an app's small answer comes back.
func smalls(_ context.Context, in *Incoming) {
	_ = in.Start(200, small, 2)
	_, _ = in.Write(hi)
	in.Finish(nil)
}

// visits asks again and again on one connection.
func visits(tb testing.TB) (visit func(), end func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{Handler: smalls}
	go s.Serve(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	request, answer := []byte(kept), make([]byte, 4<<10)
	return func() {
		if _, err := conn.Write(request); err != nil {
			tb.Fatal(err)
		}
		if n, err := conn.Read(answer); err != nil || string(answer[n-2:n]) != "hi" {
			tb.Fatal(n, err)
		}
	}, func() { conn.Close(); s.Close() }
}

func TestKeptConnectionAllocatesNothing(t *testing.T) {
	visit, end := visits(t)
	defer end()
	for range 10 {
		visit()
	}
	if n := testing.AllocsPerRun(1000, visit); n != 0 {
		t.Errorf("%v allocations for a request", n)
	}
}

func BenchmarkVisit(b *testing.B) {
	visit, end := visits(b)
	defer end()
	b.ReportAllocs()
	for b.Loop() {
		visit()
	}
}

// A request's body that is read through a buffer allocates nothing either.
func TestBodyAllocatesNothing(t *testing.T) {
	var sink [4 << 10]byte
	s := &Server{Handler: func(_ context.Context, in *Incoming) {
		for err := error(nil); err == nil; {
			_, err = in.Body.Read(sink[:])
		}
		smalls(context.TODO(), in)
	}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request, answer := []byte("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), make([]byte, 4<<10)
	if n := testing.AllocsPerRun(1000, func() {
		_, _ = conn.Write(request)
		_, _ = conn.Read(answer)
	}); n > 1 { // the trailer's empty line
		t.Errorf("%v allocations for a request", n)
	}
}

// What a visitor costs who only keeps his connection open; a goroutine alone would be twice that.
func TestParkedConnectionsAreSmall(t *testing.T) {
	const most = 3 << 10 // the visitor's own end included, which is in this process, too
	before := inUse()
	_, conns := parkedVisitors(t, &Server{}, 500)
	if each := (inUse() - before) / int64(len(conns)); each > most {
		t.Errorf("%d bytes for each", each)
	}
}

func inUse() int64 {
	goruntime.GC()
	goruntime.GC() // the pools' second generation
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
