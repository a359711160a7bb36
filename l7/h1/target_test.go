package h1

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// P5: when the target ends, every connection to it is closed: idle, busy and handed over; and there is no new one.
func TestTargetEnds(t *testing.T) {
	const begun = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"
	closed := make(chan struct{}, 4)
	until := func(said string) func(*rawConn) {
		return func(c *rawConn) { c.head(); c.say(said); c.rest(); closed <- struct{}{} }
	}
	waiting := make(chan struct{})
	app := newRawApp(t, until(begun), until(switching), func(c *rawConn) { c.head(); close(waiting); c.rest(); closed <- struct{}{} }, until(ok))
	end := make(chan struct{})
	to := app.target()
	to.Ended = end
	client := newClient(t)

	busy, err := client.Do(t.Context(), to, get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	read(t, busy.Body, "ab")
	switched, err := client.Do(t.Context(), to, upgrade(), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, _ := switched.Hijack()
	unanswered := make(chan error, 1)
	go func() { _, err := client.Do(context.Background(), to, get(), nil); unanswered <- err }()
	<-waiting
	fetch(t, client, to, get())

	close(end)
	for range 4 {
		<-closed
	}
	_, err = io.ReadAll(busy.Body)
	wantIs(t, err, ErrEnded)
	_, err = conn.Read(make([]byte, 1))
	wantIs(t, err, ErrEnded)
	wantIs(t, <-unanswered, ErrEnded)
	e := fails(t, client, to, get())
	wantIs(t, e, ErrEnded)
	equal(t, "Sent", e.Sent, false)
	equal(t, "connections", app.accepted.Load(), 4)
	equal(t, "targets", len(client.targets), 0)
}

// P5: a kept connection of one start serves no other, even at the same address.
func TestStartsDoNotShare(t *testing.T) {
	app := newRawApp(t, answers(ok))
	client := newClient(t)
	for _, key := range []string{"first", "second"} {
		to := app.target()
		to.Key = key
		fetch(t, client, to, get())
	}
	equal(t, "connections", app.accepted.Load(), 2)
}

// P5: a dial that hangs ends with the target.
func TestTargetEndsWhileDialling(t *testing.T) {
	end, dialling := make(chan struct{}), make(chan struct{})
	client := &Client{Dial: func(ctx context.Context, _ netip.AddrPort, _ bool) (net.Conn, error) {
		close(dialling)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	go func() { <-dialling; close(end) }()
	e := fails(t, client, Target{Key: 1, Ended: end}, get())
	wantIs(t, e, ErrEnded)
	equal(t, "Phase", e.Phase, Dialing)
}

func TestClose(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) { c.head(); c.say(ok[:len(ok)-1]); c.rest() })
	client := newClient(t)
	response, err := client.Do(t.Context(), app.target(), get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
	_, err = io.ReadAll(response.Body)
	wantIs(t, err, ErrClosed)
	wantIs(t, fails(t, client, app.target(), get()), ErrClosed)
}

// The idle limit is the client's, or what the app announces less a margin, whichever comes first.
func TestIdleLimit(t *testing.T) {
	tests := map[string]struct {
		header string
		limit  time.Duration
	}{
		"default":        {"", 60 * time.Second},
		"a long one":     {"Keep-Alive: timeout=120\r\n", 60 * time.Second},
		"announced":      {"Keep-Alive: max=100, timeout=30\r\n", 26 * time.Second},
		"a short one":    {"Keep-Alive: timeout=5\r\n", 2500 * time.Millisecond},
		"what is no one": {"Keep-Alive: timeout=soon\r\n", 60 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, apps := net.Pipe()
				go answers("HTTP/1.1 200 OK\r\n" + test.header + "Content-Length: 2\r\n\r\nhi")(&rawConn{Conn: apps, t: t, r: bufio.NewReader(apps)})
				client := &Client{Dial: func(context.Context, netip.AddrPort, bool) (net.Conn, error) { return ours, nil }}
				fetch(t, client, Target{Key: 1}, get())
				kept, _ := client.connections(Target{Key: 1})
				time.Sleep(test.limit - time.Millisecond)
				synctest.Wait()
				equal(t, "before the limit", connections(kept), 1)
				fetch(t, client, Target{Key: 1}, get()) // starts it anew
				time.Sleep(test.limit - time.Millisecond)
				synctest.Wait()
				equal(t, "before the limit again", connections(kept), 1)
				time.Sleep(2 * time.Millisecond)
				synctest.Wait()
				equal(t, "after the limit", connections(kept), 0)
				client.Close()
			})
		})
	}
}
