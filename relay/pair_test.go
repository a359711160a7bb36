package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// bothWays runs a test on a loop, and with goroutines.
func bothWays(t *testing.T, test func(*testing.T, way)) {
	t.Run("loop", func(t *testing.T) { test(t, func(c *net.TCPConn) net.Conn { return c }) })
	t.Run("goroutines", func(t *testing.T) { test(t, func(c *net.TCPConn) net.Conn { return hidden{c} }) })
}

// way is what is handed to Join.
type way func(*net.TCPConn) net.Conn

// hidden is a TCP connection that does not look like one.
type hidden struct{ *net.TCPConn }

// joined joins two TCP connections and returns their far ends.
func (w way) joined(t *testing.T, ctx context.Context, o Options) (a, b *net.TCPConn, done chan result) {
	t.Helper()
	a, nearA := ends(t)
	b, nearB := ends(t)
	done = make(chan result, 1)
	run(ctx, w(nearA), w(nearB), o, done)
	return a, b, done
}

// result is what Join ends with.
type result struct {
	stats Stats
	err   error
}

func run(ctx context.Context, a, b net.Conn, o Options, done chan<- result) {
	Join(ctx, a, b, o, func(stats Stats, err error) { done <- result{stats, err} })
}

func ends(t *testing.T) (far, near *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialled, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close() })
	_ = dialled.SetDeadline(time.Now().Add(patient)) // a test that hangs fails
	return dialled.(*net.TCPConn), accepted.(*net.TCPConn)
}

// patient is a test for what must happen.
const patient = 30 * time.Second

func say(t *testing.T, c io.Writer, s string) {
	t.Helper()
	if _, err := io.WriteString(c, s); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c io.Reader, want string) {
	t.Helper()
	p := make([]byte, len(want))
	if _, err := io.ReadFull(c, p); err != nil || string(p) != want {
		t.Fatalf("heard %q, %v, want %q", p, err, want)
	}
}

// hearEnd wants the clean end of one direction.
func hearEnd(t *testing.T, c io.Reader) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("heard %d bytes, %v, want the end", n, err)
	}
}

func wantIs(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error is %v, want %v", err, target)
	}
}
