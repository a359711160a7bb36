package h1

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay"
)

// socketListener is one from which loops accept.
type socketListener struct {
	*net.TCPListener
	closed chan struct{}

	mu       sync.Mutex // guards acceptor
	acceptor *relay.Acceptor
}

func (l *socketListener) OnLoops(take func(relay.Socket), _ func(net.Conn), trouble func(error, time.Duration)) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acceptor, _ = relay.Accept(l.TCPListener, take, trouble)
	return l.closed
}

func (l *socketListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.acceptor != nil {
		l.acceptor.Close()
		l.acceptor = nil
		close(l.closed)
	}
	return nil
}

// A server whose listener's connections loops accept serves them, and lets all go.
func TestLoopsAccept(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Handler: echoes}
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(&socketListener{TCPListener: l.(*net.TCPListener), closed: make(chan struct{})})
	}()
	r := &reception{s, t, l.Addr().String()}
	var conns []net.Conn
	for range 20 {
		conns = append(conns, r.dial())
		visit(t, conns[len(conns)-1])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error("a connection is left:", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	for _, conn := range conns {
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
	}
	s.Close()
}

// onLoops serves with a handler that waits for nothing but the exchange's connections.
func onLoops(t *testing.T, handler func(context.Context, *Incoming)) *reception {
	t.Helper()
	if goroutines {
		t.Skip("this is about loops")
	}
	r := handled(t, nil)
	r.Handler = handler
	return r
}

// forwarded serves what an app answers.
func forwarded(t *testing.T, app *rawApp) *reception { return forwardedTo(t, app.target()) }

func forwardedTo(t *testing.T, to Target) *reception { return forwardedBy(t, newClient(t), to) }

func forwardedBy(t *testing.T, client *Client, to Target) *reception {
	return onLoops(t, func(ctx context.Context, in *Incoming) {
		request := &Request{Method: in.Method, URI: in.Target, Host: in.Host, Body: in.Body, ContentLength: in.Length}
		response, err := client.Do(ctx, to, request, nil)
		if err != nil {
			say(in, http.StatusBadGateway, err.Error())
			return
		}
		defer response.Body.Close()
		_ = in.Start(response.Status, nil, response.ContentLength)
		_, _ = io.Copy(in, response.Body)
		in.Finish(nil)
	})
}

// Who waits for an app on a loop costs no goroutine, and a visitor who leaves meanwhile is noticed there, too.
func TestWaitingCostsNoGoroutine(t *testing.T) {
	const many = 200
	var asked, left atomic.Int32
	release := make(chan struct{})
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		asked.Add(1)
		select {
		case <-release:
			c.say(ok)
		case <-gone(c):
			left.Add(1)
		}
	})
	r := forwarded(t, app)
	before := goruntime.NumGoroutine()
	conns := make([]net.Conn, many)
	for i := range conns {
		conns[i] = r.dial()
		_, _ = io.WriteString(conns[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	within(t, "the app has all requests", func() bool { return asked.Load() == many })
	// Each connection of the app's has two of its own. A fiber is one, too, but the loops keep fewer than they ran at once.
	if now := goruntime.NumGoroutine(); now > before+3*many+20 {
		t.Errorf("%d goroutines became %d", before, now)
	}
	for _, conn := range conns[:many/2] {
		conn.Close()
	}
	within(t, "the app hears of who left", func() bool { return left.Load() == many/2 })
	close(release)
	for _, conn := range conns[many/2:] {
		until(t, bufio.NewReader(conn), "\r\n\r\n")
	}
}

// gone is closed when the other side has ended the connection.
func gone(c *rawConn) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.r.Peek(1)
	}()
	return ended
}

// A small body that came with the head goes on with the head, in one piece, and nobody is needed to send it.
func TestBodyThatCameWhole(t *testing.T) {
	got := make(chan string, 2)
	app := newRawApp(t, func(c *rawConn) {
		for range 2 {
			p := make([]byte, 1000)
			n, _ := c.Read(p) // one segment
			got <- string(p[:n])
			c.say(ok)
		}
	})
	conn := forwarded(t, app).dial()
	for range 2 { // on a kept connection, too
		_, _ = io.WriteString(conn, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
		if sent := <-got; !strings.HasSuffix(sent, "\r\n\r\nhello") {
			t.Errorf("the app got %q", sent)
		}
		until(t, bufio.NewReader(conn), "hi")
	}
}

// An app that does not say so and closes what is idle costs no request, whatever the method; one that never did is not
// looked at each time.
func TestLoopNoticesAnEndedConnection(t *testing.T) {
	closing := make(chan struct{})
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say(ok)
		c.Close()
		closing <- struct{}{}
	})
	conn := forwarded(t, app).dial()
	answers := bufio.NewReader(conn)
	for _, method := range []string{"GET", "DELETE", "GET", "PUT"} {
		_, _ = io.WriteString(conn, method+" / HTTP/1.1\r\nHost: x\r\n\r\n")
		response, err := http.ReadResponse(answers, nil)
		if err != nil || response.StatusCode != 200 {
			t.Fatal(method, response, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		<-closing
	}
}

// Trust is earned by many connections that were not ended, and lost with one that was.
func TestTrust(t *testing.T) {
	s, app := newScene(t), newMortal(t, ok)
	kept := &conn{}
	for range trial + 1 {
		s.open(app.target(), 1)
		of, _ := s.client.connections(app.target())
		kept = of.pop(nil)
		of.keep(kept)
	}
	if !kept.trusted {
		t.Error("it is not trusted")
	}
	app.kill()
	s.told(app.target())
	again := newMortal(t, ok)
	s.open(again.target(), 1)
	of, _ := s.client.connections(again.target())
	if c := of.pop(nil); c.trusted {
		t.Error("a new one is trusted")
	}
	if of, _ := s.client.connections(app.target()); of.taken != 0 {
		t.Error("trust is not lost")
	}
}

// Who ends his own direction after a request gets an answer that comes soon, on a connection that has served before, too.
func TestHalfClosedAfterARequest(t *testing.T) {
	ended := make(chan struct{}, 1)
	ended <- struct{}{}
	app := newRawApp(t, func(c *rawConn) {
		for c.head() != "" {
			<-ended
			c.say(ok)
		}
	})
	conn := forwarded(t, app).dial()
	for range 2 {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	ended <- struct{}{}
	answers := bufio.NewReader(conn)
	for i := range 2 {
		response, err := http.ReadResponse(answers, nil)
		if err != nil || response.StatusCode != 200 {
			t.Fatal(i, response, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
	}
}

// secureOnLoops is a visitor's TLS connection to what loops serve, and what is below it.
func secureOnLoops(t *testing.T, r *reception) (*tls.Conn, *heldBack) {
	t.Helper()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	t.Cleanup(certificate.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			secure := tls.Server(&Link{Conn: conn}, &tls.Config{Certificates: certificate.TLS.Certificates})
			if secure.Handshake() == nil {
				r.Take(secure)
			}
		}
	}()
	socket, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	below := &heldBack{Conn: socket}
	conn := tls.Client(below, &tls.Config{InsecureSkipVerify: true})
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return conn, below
}

// heldBack keeps what is written while it holds.
type heldBack struct {
	net.Conn
	holds bool
	held  []byte
}

func (h *heldBack) Write(p []byte) (int, error) {
	if !h.holds {
		return h.Conn.Write(p)
	}
	h.held = append(h.held, p...)
	return len(p), nil
}

// send writes so much of what is held with one call; all of it, if that is less.
func (h *heldBack) send(n int) {
	n = min(n, len(h.held))
	_, _ = h.Conn.Write(h.held[:n])
	h.held = h.held[n:]
}

// TLS may have read more than it has given: requests in one record are all answered, and then it costs no goroutine.
func TestTLSOnALoop(t *testing.T) {
	r := onLoops(t, echoes)
	conn, _ := secureOnLoops(t, r)
	for range 3 {
		_, _ = io.WriteString(conn, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 5)+"GET /last HTTP/1.1\r\nHost: x\r\n\r\n")
		until(t, bufio.NewReader(conn), "GET /last ")
		within(t, "it is parked", func() bool { return r.parkedConns() == 1 })
	}
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n") // a goroutine's
	_, _ = io.WriteString(conn, "abc")
	until(t, bufio.NewReader(conn), "POST / abc")
	within(t, "it is parked again", func() bool { return r.parkedConns() == 1 })
	r.Close()
	if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Error("the end has no last word:", err)
	}
}

// Whole requests in records of their own that come at once, cut anywhere: none stays with TLS until more comes.
func TestTLSRecordsThatComeTogether(t *testing.T) {
	r := onLoops(t, echoes)
	conn, below := secureOnLoops(t, r)
	answers := bufio.NewReader(conn)
	for _, cut := range []int{1000, 60, 53, 52, 51, 3, 1000} {
		below.holds = true
		_, _ = io.WriteString(conn, "GET /one HTTP/1.1\r\nHost: x\r\n\r\n")
		_, _ = io.WriteString(conn, "GET /two HTTP/1.1\r\nHost: x\r\n\r\n")
		below.holds = false
		if below.send(cut); cut >= 52 { // the first record
			until(t, answers, "GET /one ")
		}
		below.send(1000)
		until(t, answers, "GET /two ")
		within(t, "it is parked", func() bool { return r.parkedConns() == 1 })
	}
}

// Who is dismissed between what was read for him and his turn leaves no buffer behind.
func TestDismissedAfterAFetch(t *testing.T) {
	r := onLoops(t, echoes)
	conn := r.dial()
	visit(t, conn)
	within(t, "it is parked", func() bool { return r.parkedConns() == 1 })
	var c *inbound
	r.mu.Lock()
	for c = range r.conns {
	}
	r.mu.Unlock()
	done := make(chan struct{})
	c.strand.Do(func() {
		defer close(done)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if c.strand.Quiet() {
			t.Error("nothing has come")
		}
		c.Fetch()
		if c.in == nil {
			t.Error("nothing is read")
		}
		c.dismiss(false)
		if c.Ready(); c.in != nil {
			t.Error("a buffer is left")
		}
	})
	<-done
	if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
}
