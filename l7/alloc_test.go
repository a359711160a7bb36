//go:build !race

// The race detector makes sync.Pool forget at random.

package l7

import (
	"bufio"
	"io"
	"net"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// tally is an Answer that only counts.
type tally struct{ bytes int }

func (c *tally) Interim(int, fields.List) error                { return nil }
func (c *tally) Start(int, fields.List, int64) error           { return nil }
func (c *tally) Write(p []byte) (int, error)                   { c.bytes += len(p); return len(p), nil }
func (c *tally) Flush() error                                  { return nil }
func (c *tally) Finish(fields.List)                            {}
func (c *tally) Abort()                                        { c.bytes = -1 << 30 }
func (c *tally) Upgrade(fields.List) (net.Conn, []byte, error) { return nil, nil, io.ErrClosedPipe }
func (c *tally) StopReading()                                  {}

// warm returns a story of a GET to a replica whose connection is kept.
func warm(t *testing.T, h *house) (tell func()) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello")
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		request := make([]byte, 4<<10)
		for {
			if _, err := r.Read(request); err != nil {
				return
			}
			_, _ = conn.Write(answer)
		}
	})
	gone, to := h1.NewGone(), &tally{}
	header := fields.List{
		{Name: "User-Agent", Value: "test"}, {Name: "Accept", Value: "*/*"}, {Name: "Cookie", Value: "a=1; b=2"},
		{Name: "Accept-Language", Value: "en"}, {Name: "Connection", Value: "keep-alive"},
	}
	room := make(fields.List, 0, 32)
	x := &Exchange{}
	tell = func() {
		*x = Exchange{
			Method: "GET", Target: "/a/b?x=1", Host: "hello.example.org:8080", Proto: "HTTP/1.1",
			Header: append(room[:0], header...), Remote: "192.0.2.1:1234", Answer: to,
		}
		h.front.Tell(gone, x)
	}
	tell()
	if to.bytes != 5 {
		t.Fatalf("the answer has %d bytes", to.bytes)
	}
	return tell
}

// The hot path: the story of a request to a warm app allocates nothing.
func TestStoryAllocatesNothing(t *testing.T) {
	h := newHouse(t, nil)
	h.front.access.to = nil
	tell := warm(t, h)
	if n := testing.AllocsPerRun(500, tell); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

// A visitor with a session shows his cookie with every request.
func TestKnownCookieAllocatesNothing(t *testing.T) {
	key, err := LoadKey(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cookie := key.seal("hello", binding{replica: "local/hello-1", start: "0123456789abcdef0123456789abcdef"})
	line := "a=1; " + stickyPrefix + "hello=" + cookie
	known := newTable(nil)
	known.apps["hello"] = &app{name: "hello"}
	if n := testing.AllocsPerRun(500, func() {
		if _, ok := key.prove("hello", cookie); !ok || known.without(line) != "a=1" {
			t.Fatal("it is not ours")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
