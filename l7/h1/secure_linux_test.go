package h1

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// asked sends a request and reads the answer's body, of so many bytes.
func asked(t *testing.T, conn net.Conn, request string, size int) string {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	until(t, r, "\r\n\r\n")
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const plainGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// A visitor on a loop is served over TLS there, too, over one connection.
func TestSecureOnALoop(t *testing.T) {
	const size = 2 << 20
	app := newSecureApp(t, nil, func(c *rawConn) {
		for head := c.head(); head != ""; head = c.head() {
			switch {
			case strings.HasPrefix(head, "POST"):
				c.say(ok + c.take(5))
				return
			case strings.HasPrefix(head, "GET /big"):
				c.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size) + strings.Repeat("b", size))
			default:
				c.say(ok)
			}
		}
	})
	conn := forwardedTo(t, app.target()).dial()
	for range 3 {
		equal(t, "body", asked(t, conn, plainGet, 2), "hi")
		equal(t, "big body", asked(t, conn, strings.Replace(plainGet, "/", "/big", 1), size) == strings.Repeat("b", size), true)
	}
	equal(t, "answer", asked(t, conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 2), "hi")
	equal(t, "connections", app.accepted.Load(), 1)
	equal(t, "body", asked(t, conn, plainGet, 2), "hi")
	equal(t, "connections after more than an answer", app.accepted.Load(), 2)
}

// P5: as TestNothingIsLeftUnderTLS, on a loop, which the socket tells nothing of it.
func TestNothingIsLeftUnderTLSOnALoop(t *testing.T) {
	app := newSecureApp(t, oneRecord, overfull, answers(ok))
	conn := forwardedTo(t, app.target()).dial()
	asked(t, conn, plainGet, overfullSize)
	equal(t, "body", asked(t, conn, plainGet, 2), "hi")
}

// An app that ends what is idle is asked over another connection.
func TestSecureEndedWhileIdleOnALoop(t *testing.T) {
	app := newSecureApp(t, nil, func(c *rawConn) { c.head(); c.say(ok) })
	c := newClient(t)
	conn := forwardedBy(t, c, app.target()).dial()
	for range 3 {
		equal(t, "body", asked(t, conn, plainGet, 2), "hi")
		within(t, "the end is known", func() bool { return c.kept(app.target()) == 0 })
	}
	equal(t, "connections", app.accepted.Load(), 3)
}

// A visitor who leaves ends the exchange with the app.
func TestVisitorLeavesSecureAppOnALoop(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	app := newSecureApp(t, nil, func(c *rawConn) { c.head(); close(arrived); c.rest(); close(left) })
	conn := forwardedTo(t, app.target()).dial()
	_, _ = io.WriteString(conn, plainGet)
	<-arrived
	conn.Close()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the app does not hear of it")
	}
}

func TestLastWordOnALoop(t *testing.T) {
	app, last := lastWords(t)
	c := newClient(t)
	c.IdleTimeout = 20 * time.Millisecond
	conn := forwardedBy(t, c, app.target()).dial()
	equal(t, "body", asked(t, conn, plainGet, 2), "hi")
	equal(t, "kind of the last record", <-last, alertRecord)
}
