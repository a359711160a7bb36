package h1

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// rawApp is an app that a test scripts byte by byte: one function for each connection, in order; the last one serves
// all that follow.
type rawApp struct {
	t        *testing.T
	listener net.Listener
	scripts  []func(*rawConn)
	accepted atomic.Int32
	running  sync.WaitGroup
}

func newRawApp(t *testing.T, scripts ...func(*rawConn)) *rawApp {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &rawApp{t: t, listener: l, scripts: scripts}
	a.running.Add(1)
	go a.serve()
	t.Cleanup(a.stop)
	return a
}

func (a *rawApp) serve() {
	defer a.running.Done()
	for {
		c, err := a.listener.Accept()
		if err != nil {
			return
		}
		i := int(a.accepted.Add(1)) - 1
		a.running.Add(1)
		go a.play(c, a.scripts[min(i, len(a.scripts)-1)])
	}
}

func (a *rawApp) play(c net.Conn, script func(*rawConn)) {
	defer a.running.Done()
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	script(&rawConn{Conn: c, t: a.t, r: bufio.NewReader(c)})
}

func (a *rawApp) stop() {
	a.listener.Close()
	a.running.Wait()
}

func (a *rawApp) target() Target {
	return Target{Key: a, Addr: netip.MustParseAddrPort(a.listener.Addr().String()), Direct: true}
}

// rawConn is the app's side of a connection.
type rawConn struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

// head reads a request's header; empty at the end of the connection.
func (c *rawConn) head() string {
	var b strings.Builder
	for {
		line, err := c.r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String()
		}
	}
}

// take reads n bytes.
func (c *rawConn) take(n int) string {
	p := make([]byte, n)
	n, _ = io.ReadFull(c.r, p)
	return string(p[:n])
}

// rest reads to the end and says how that came.
func (c *rawConn) rest() (string, error) {
	all, err := io.ReadAll(c.r)
	return string(all), err
}

func (c *rawConn) say(s string) {
	if _, err := io.WriteString(c.Conn, s); err != nil {
		c.t.Logf("app: %v", err)
	}
}

// reset ends the connection with an RST.
func (c *rawConn) reset() {
	c.Conn.(*net.TCPConn).SetLinger(0)
	c.Conn.Close()
}

// answers serves every request of a connection with the same bytes.
func answers(response string) func(*rawConn) {
	return func(c *rawConn) {
		for c.head() != "" {
			c.say(response)
		}
	}
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

func dial(ctx context.Context, addr netip.AddrPort, _ bool) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr.String())
}

func newClient(t *testing.T) *Client {
	c := &Client{Dial: dial}
	t.Cleanup(c.Close)
	return c
}

func get() *Request { return &Request{Method: "GET", URI: "/", Host: "app"} }

func post(body string) *Request {
	return &Request{Method: "POST", URI: "/", Host: "app", Body: strings.NewReader(body), ContentLength: int64(len(body))}
}

// fetch makes a whole exchange.
func fetch(t *testing.T, c *Client, to Target, r *Request) (*Response, string) {
	t.Helper()
	response, err := c.Do(t.Context(), to, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return outlive(response), string(body)
}

// outlive copies what is valid until the body is closed.
func outlive(r *Response) *Response {
	over := &body{chunks: &chunks{trailer: r.Trailer().Clone()}}
	over.ended.Store(true)
	return &Response{
		Status: r.Status, Reason: strings.Clone(r.Reason), Header: r.Header.Clone(), ContentLength: r.ContentLength, body: over,
	}
}

// fails makes an exchange that must fail.
func fails(t *testing.T, c *Client, to Target, r *Request) *Error {
	t.Helper()
	response, err := c.Do(t.Context(), to, r, nil)
	if err == nil {
		response.Body.Close()
		t.Fatalf("got status %d, want an error", response.Status)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T, want *Error", err)
	}
	return e
}

func wantIs(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error is %v, want %v", err, target)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %#v, want %#v", what, got, want)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
