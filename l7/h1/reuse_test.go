package h1

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

func TestKeptConnectionServesAgain(t *testing.T) {
	tests := map[string]struct {
		method, response string
		connections      int32 // for two requests
	}{
		"length":               {"GET", ok, 1},
		"chunked":              {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 1},
		"HEAD":                 {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", 1},
		"204":                  {"GET", "HTTP/1.1 204 No Content\r\n\r\n", 1},
		"304 with a length":    {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n", 1},
		"POST":                 {"POST", ok, 1},
		"after 1xx":            {"GET", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok, 1},
		"1.0 with keep-alive":  {"GET", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", 1},
		"1.0":                  {"GET", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", 2},
		"Connection: close":    {"GET", "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n", 2},
		"more than was asked":  {"GET", ok + ok, 2},
		"a body of HEAD":       {"HEAD", ok, 2},
		"the app's limit is 0": {"GET", "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 0\r\n\r\n", 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, func(c *rawConn) {
				for {
					head := c.head()
					if head == "" {
						return
					}
					if strings.HasPrefix(head, "POST") {
						c.take(3)
					}
					c.say(test.response)
				}
			})
			client := newClient(t)
			for range 2 {
				r := get()
				if test.method == "POST" {
					r = post("abc")
				}
				r.Method = test.method
				fetch(t, client, app.target(), r)
			}
			equal(t, "connections", app.accepted.Load(), test.connections)
		})
	}
}

// once serves one request and then does as told, before the next.
func once(then func(*rawConn)) func(*rawConn) {
	return func(c *rawConn) {
		c.head()
		c.say(ok)
		then(c)
	}
}

// P4: a request of which something was written is not repeated here, whatever its method: that is the caller's, after a
// look. case B100.
func TestClosedWhileWriting(t *testing.T) {
	withBody := post("abc")
	withBody.Method = "GET"
	tests := map[string]*Request{
		"GET":             get(),
		"POST":            post("abc"),
		"POST, no body":   {Method: "POST", URI: "/", Host: "app"},
		"GET with a body": withBody,
	}
	for name, request := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, once(func(c *rawConn) { c.head(); c.reset() }), answers(ok))
			client := newClient(t)
			fetch(t, client, app.target(), get())
			e := fails(t, client, app.target(), request)
			wantIs(t, e, ErrNoResponse)
			equal(t, "Sent", e.Sent, true)
			equal(t, "Reused", e.Reused, true)
			equal(t, "Responded", e.Responded, false)
			equal(t, "connections", app.accepted.Load(), 1)
		})
	}
}

// case B100: a new connection that the app hangs up on is not repeated at all.
func TestFreshConnectionIsNotRepeated(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) { c.head() })
	e := fails(t, newClient(t), app.target(), get())
	wantIs(t, e, ErrNoResponse)
	equal(t, "Phase", e.Phase, Reading)
	equal(t, "Sent", e.Sent, true)
	equal(t, "Published", e.Published, false)
	equal(t, "connections", app.accepted.Load(), 1)
}

// P4: after the first byte of a response nothing is repeated.
func TestNoSecondAttemptAfterAByte(t *testing.T) {
	app := newRawApp(t, once(func(c *rawConn) { c.head(); c.say("HTTP/1.1 2") }), answers(ok))
	client := newClient(t)
	fetch(t, client, app.target(), get())
	e := fails(t, client, app.target(), get())
	wantIs(t, e, io.ErrUnexpectedEOF)
	equal(t, "Responded", e.Responded, true)
	equal(t, "connections", app.accepted.Load(), 1)
}

// A connection that the app closed, or spoke on, while it was idle is seen before anything is written: any method goes
// to a new one.
func TestIdleEndIsSeenBeforeWriting(t *testing.T) {
	ends := map[string]func(*rawConn){
		"end":   func(c *rawConn) { c.Close() },
		"reset": (*rawConn).reset,
		"word":  func(c *rawConn) { c.say("HTTP/1.1 408 Request Timeout\r\n\r\n") },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			app := newRawApp(t, once(func(c *rawConn) { end(c); close(ended); c.head() }), func(c *rawConn) {
				c.head()
				equal(t, "body", c.take(3), "abc")
				c.say(ok)
			})
			client := newClient(t)
			fetch(t, client, app.target(), get())
			<-ended
			fetch(t, client, app.target(), post("abc"))
			equal(t, "connections", app.accepted.Load(), 2)
		})
	}
}

// numb is a connection that turns out broken at the first byte of its second request, and at once: the reset has come
// between the look and the write.
type numb struct {
	net.Conn
	writes int
}

func (n *numb) Write(p []byte) (int, error) {
	if n.writes++; n.writes > 1 {
		return 0, syscall.EPIPE
	}
	return n.Conn.Write(p)
}

func numbAtFirst(app *rawApp) func(context.Context, netip.AddrPort, bool) (net.Conn, error) {
	return func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error) {
		first := app.accepted.Load() == 0
		c, err := dial(ctx, addr, direct)
		if first {
			c = &numb{Conn: c}
		}
		return c, err
	}
}

// P4: an attempt that wrote nothing does not count: any method, and its body, goes to a new connection.
func TestNothingWritten(t *testing.T) {
	app := newRawApp(t, answers(ok), func(c *rawConn) {
		c.head()
		equal(t, "body", c.take(3), "abc")
		c.say(ok)
	})
	client := newClient(t)
	client.Dial = numbAtFirst(app)
	fetch(t, client, app.target(), get())
	fetch(t, client, app.target(), post("abc"))
	equal(t, "connections", app.accepted.Load(), 2)
}

// case B101: after a refused dial the body is untouched.
func TestRefusedDial(t *testing.T) {
	app := newRawApp(t, answers(ok))
	app.stop()
	r := post("abc")
	released := 0
	r.Released = func() { released++ }
	e := fails(t, newClient(t), app.target(), r)
	equal(t, "Phase", e.Phase, Dialing)
	equal(t, "Sent", e.Sent, false)
	equal(t, "BodyRead", e.BodyRead, false)
	equal(t, "unread", r.Body.(*strings.Reader).Len(), 3)
	equal(t, "released", released, 1)
}

// Behind a published port a connection that ends without a byte may mean that the app does not listen.
func TestPublishedTargetIsTold(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {})
	to := app.target()
	to.Direct = false
	e := fails(t, newClient(t), to, get())
	wantIs(t, e, ErrNoResponse)
	equal(t, "Published", e.Published, true)
	equal(t, "Responded", e.Responded, false)
}

func TestMaxIdlePerTarget(t *testing.T) {
	app := newRawApp(t, answers(ok))
	client := newClient(t)
	client.MaxIdlePerTarget = 1
	first, err := client.Do(t.Context(), app.target(), get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	fetch(t, client, app.target(), get())
	io.Copy(io.Discard, first.Body)
	kept, _ := client.connections(app.target())
	equal(t, "connections", connections(kept), 1)
}

func TestNegativeIdleTimeoutKeepsNone(t *testing.T) {
	seen := make(chan string, 1)
	app := newRawApp(t, func(c *rawConn) {
		seen <- c.head()
		c.say(ok)
		c.head()
	})
	client := newClient(t)
	client.IdleTimeout = -1
	fetch(t, client, app.target(), &Request{Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "Te", Value: "trailers"}}})
	equal(t, "closes", strings.Contains(<-seen, "\r\nConnection: close, TE\r\n"), true)
	kept, _ := client.connections(app.target())
	equal(t, "connections", connections(kept), 0)
}

func connections(kept *target) int {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	return len(kept.all)
}

// P4: the connection on which nothing could be written is not counted, and replaced for any method.
func TestNothingWrittenIsNotCounted(t *testing.T) {
	app := newRawApp(t, answers(ok), func(c *rawConn) { c.head() })
	client := newClient(t)
	client.Dial = numbAtFirst(app)
	fetch(t, client, app.target(), get())
	e := fails(t, client, app.target(), post("abc"))
	wantIs(t, e, ErrNoResponse)
	equal(t, "Sent", e.Sent, true)
	equal(t, "connections", app.accepted.Load(), 2)
}
