package h1

import (
	"bufio"
	"context"
	"io"
	"net"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

// parkedVisitors asks once on each of many connections, and waits until all of them are parked.
func parkedVisitors(t *testing.T, s *Server, count int) (*reception, []net.Conn) {
	t.Helper()
	if loop.Shared() == nil {
		t.Skip("there are no loops on this system: connections keep their goroutines")
	}
	s.ParkAfter, s.Handler = 10*time.Millisecond, echoes
	r := newReception(t, s)
	conns := make([]net.Conn, count)
	for i := range conns {
		conns[i] = r.dial()
		visit(t, conns[i])
	}
	within(t, "all are parked", func() bool { return r.parkedConns() == count })
	return r, conns
}

func visit(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	until(t, bufio.NewReader(conn), "GET / ")
}

func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 10 s", what)
		}
	}
}

func (s *Server) parkedConns() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.phase.Load() == parked {
			n++
		}
	}
	return n
}

func (s *Server) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

func TestQuietConnectionsHaveNoGoroutine(t *testing.T) {
	before := goruntime.NumGoroutine()
	r, conns := parkedVisitors(t, &Server{}, 100)
	within(t, "the goroutines end", func() bool { return goruntime.NumGoroutine() < before+20 })
	for range 3 {
		for _, conn := range conns {
			visit(t, conn)
		}
		within(t, "all are parked again", func() bool { return r.parkedConns() == len(conns) })
	}
	for _, conn := range conns {
		conn.Close()
	}
	within(t, "all are gone", func() bool { return r.open() == 0 })
}

// A head that comes in pieces is awaited by a goroutine, with the time that any head has.
func TestParkedConnectionHasTheTimeOfAnyOther(t *testing.T) {
	_, conns := parkedVisitors(t, &Server{HeaderTimeout: 100 * time.Millisecond}, 1)
	io.WriteString(conns[0], "GET / HTTP")
	back, _ := io.ReadAll(conns[0])
	if len(back) < 13 || string(back[:13]) != "HTTP/1.1 408 " {
		t.Errorf("got %q", back)
	}
}

func TestParkedConnectionsExpire(t *testing.T) {
	r, conns := parkedVisitors(t, &Server{KeepAliveTimeout: 100 * time.Millisecond}, 10)
	for _, conn := range conns {
		if rest, err := io.ReadAll(conn); err != nil || len(rest) != 0 {
			t.Errorf("got %q, %v", rest, err)
		}
	}
	within(t, "all are gone", func() bool { return r.open() == 0 })
}

func TestParkedConnectionsEndWithTheServer(t *testing.T) {
	for name, end := range map[string]func(*Server){
		"shutdown": func(s *Server) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := s.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		},
		"close": (*Server).Close,
	} {
		r, conns := parkedVisitors(t, &Server{}, 10)
		end(r.Server)
		for _, conn := range conns {
			if rest, err := io.ReadAll(conn); err != nil || len(rest) != 0 {
				t.Errorf("%s: got %q, %v", name, rest, err)
			}
		}
		within(t, name+": all are gone", func() bool { return r.open() == 0 })
	}
}

// Visitors who ask at the moment at which they are parked, or the server leaves, are answered or ended; nobody hangs.
func TestParkingRaces(t *testing.T) {
	r, conns := parkedVisitors(t, &Server{}, 20)
	done := make(chan struct{}, len(conns))
	for _, conn := range conns {
		go func() {
			defer func() { done <- struct{}{} }()
			reader := bufio.NewReader(conn)
			for i := range 100 {
				if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
					return
				}
				for {
					c, err := reader.ReadByte()
					if err != nil {
						return
					}
					if c == '/' && reader.Buffered() == 1 {
						_, _ = reader.ReadByte()
						break
					}
				}
				time.Sleep(10*time.Millisecond + time.Duration(i%20-10)*100*time.Microsecond)
			}
		}()
	}
	time.Sleep(300 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	for range conns {
		<-done
	}
}
