package h1

import (
	"context"
	"io"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"time"
)

// cases B077, B079, B082, B106: after 1,000 exchanges that ended badly there is not one goroutine or descriptor more.
func TestNothingLeaks(t *testing.T) {
	const rounds = 250
	tests := map[string]struct {
		response string
		spoil    func(*testing.T, *Client, Target)
	}{
		"invalid 101": {strings.Replace(switching, "websocket", "h2c", 1), func(t *testing.T, c *Client, to Target) {
			wantIs(t, fails(t, c, to, upgrade()), ErrUpgrade)
		}},
		"cancelled in the body": {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", func(t *testing.T, c *Client, to Target) {
			ctx, cancel := context.WithCancel(t.Context())
			response, err := c.Do(ctx, to, get(), nil)
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			response.Body.Close()
		}},
		"closed in the body": {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", func(t *testing.T, c *Client, to Target) {
			response, err := c.Do(t.Context(), to, get(), nil)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
		}},
		"answered without the body": {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno", func(t *testing.T, c *Client, to Target) {
			r, released := expecting("abc")
			fetch(t, c, to, r)
			<-released
		}},
		"ended target": {"HTTP/1.1 200 OK\r\n", func(t *testing.T, c *Client, to Target) {
			end := make(chan struct{})
			to.Key, to.Ended = end, end
			time.AfterFunc(time.Millisecond, func() { close(end) })
			wantIs(t, fails(t, c, to, get()), ErrEnded)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, func(c *rawConn) { c.head(); c.say(test.response); c.rest() })
			client := newClient(t)
			client.ExpectTimeout = time.Hour
			test.spoil(t, client, app.target())
			before := used()
			for range rounds {
				test.spoil(t, client, app.target())
			}
			flat(t, before)
		})
	}
}

// The watch over a target ends with the client, too.
func TestClosedClientsLeaveNothing(t *testing.T) {
	app := newRawApp(t, answers(ok))
	to := app.target()
	to.Ended = make(chan struct{})
	before := used()
	for range 50 {
		client := &Client{Dial: dial}
		fetch(t, client, to, get())
		client.Close()
	}
	flat(t, before)
}

// A request's body that blocks outlives the exchange only as long as its Read does.
func TestBlockedBodyIsLeftAlone(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) { c.head(); c.reset() })
	client := newClient(t)
	before := used()
	for range 100 {
		from, into := io.Pipe()
		released := make(chan struct{})
		e := fails(t, client, app.target(), &Request{Method: "POST", URI: "/", Host: "app", Body: from, ContentLength: -1, Released: func() { close(released) }})
		wantIs(t, e, ErrNoResponse)
		into.Close()
		<-released
	}
	flat(t, before)
}

type usage struct{ goroutines, descriptors int }

func used() usage {
	fds, _ := os.ReadDir("/proc/self/fd") // empty where there is no such thing
	return usage{goruntime.NumGoroutine(), len(fds)}
}

// flat waits for usage to come back; what is left after ten seconds leaks.
func flat(t *testing.T, before usage) {
	t.Helper()
	const slack = 10 // the app's own ends
	now := used()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); now = used() {
		if now.goroutines <= before.goroutines+slack && now.descriptors <= before.descriptors+slack {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("used %+v, before %+v", now, before)
}
