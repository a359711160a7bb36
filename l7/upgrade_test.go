package l7

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/fairlead/fairlead/conf"
)

const handshake = "GET /socket?a=1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n" +
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
	"Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Extensions: permessage-deflate\r\nX-Kept: 1\r\n\r\n"

const switched = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: b\r\nKeep-Alive: x\r\nX-Own: 1\r\n\r\n"

// socketApp switches and then does what then says.
func socketApp(then func(net.Conn, *bufio.Reader)) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		if head(r) == "" {
			return
		}
		io.WriteString(conn, switched)
		then(conn, r)
	}
}

func echo(conn net.Conn, r *bufio.Reader) { io.Copy(conn, r) }

// socket opens one and reads the header of the answer.
func (h *house) socket(header string) (net.Conn, *bufio.Reader, string) {
	h.t.Helper()
	conn := h.dial()
	io.WriteString(conn, header)
	r := bufio.NewReader(conn)
	return conn, r, head(r)
}

// case B088
func TestHandshakeKeepsItsHeaders(t *testing.T) {
	h := newHouse(t, nil)
	seen := make(chan string, 1)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		seen <- head(r)
		io.WriteString(conn, switched)
	})
	_, _, back := h.socket(handshake)
	request := <-seen
	for _, want := range []string{
		"GET /socket?a=1 HTTP/1.1\r\n", "\r\nConnection: Upgrade\r\n", "\r\nUpgrade: WebSocket\r\n",
		"\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "\r\nSec-WebSocket-Version: 13\r\n",
		"\r\nSec-WebSocket-Protocol: a, b\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n", "\r\nX-Kept: 1\r\n",
	} {
		if !strings.Contains(request, want) {
			t.Errorf("the app saw no %q in %q", want, request)
		}
	}
	for _, want := range []string{
		"HTTP/1.1 101 ", "\r\nConnection: Upgrade\r\n", "\r\nUpgrade: websocket\r\n",
		"\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", "\r\nSec-WebSocket-Protocol: b\r\n", "\r\nX-Own: 1\r\n",
	} {
		if !strings.Contains(back, want) {
			t.Errorf("no %q in %q", want, back)
		}
	}
	if strings.Contains(back, "Keep-Alive") { // case B077c
		t.Errorf("a hop-by-hop header came along: %q", back)
	}
}

// case B077b: what follows the handshake in the same segment is not lost, in either direction.
func TestEarlyBytesAreNotLost(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, switched+"early from the app;")
		echo(conn, r)
	})
	conn, r, _ := h.socket(handshake + "early from the visitor;")
	want := "early from the app;early from the visitor;and later"
	io.WriteString(conn, "and later")
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSocketHoldsItsLease(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(echo))
	conn, r, _ := h.socket(handshake)
	if err := wsutil.WriteClientText(conn, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	// The app echoes the visitor's masked frame.
	frame, err := readFrame(r)
	if err != nil || string(ws.UnmaskFrame(frame).Payload) != "hello" {
		t.Errorf("got %v, %v", frame, err)
	}
	if row, _ := h.app("hello").Snapshot().Row("r1"); row.Leases() != 1 {
		t.Errorf("%d leases", row.Leases())
	}
	conn.Close()
	h.idle("hello")
	eventually(t, "one line says so", func() bool {
		lines := h.access.all()
		return len(lines) == 1 && strings.Contains(lines[0], `"status":101`) && strings.Contains(lines[0], `"upgraded":true`)
	})
}

// case B085
func TestCloseCodePasses(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(func(conn net.Conn, r *bufio.Reader) {
		ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(4001, "bye")))
	}))
	_, r, _ := h.socket(handshake)
	wantClose(t, r, 4001, "bye")
	if rest, err := io.ReadAll(r); err != nil || len(rest) != 0 {
		t.Errorf("after the close frame: %q, %v", rest, err)
	}
}

func wantClose(t *testing.T, r io.Reader, code ws.StatusCode, reason string) {
	t.Helper()
	frame, err := readFrame(r)
	if err != nil {
		t.Errorf("no close frame: %v", err)
		return
	}
	if got, why := ws.ParseCloseFrameData(frame.Payload); frame.Header.OpCode != ws.OpClose || frame.Header.Masked || got != code || why != reason {
		t.Errorf("got %v with %d %q, want %d %q", frame.Header.OpCode, got, why, code, reason)
	}
}

func TestHalfClosePasses(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: tunnel\r\nConnection: Upgrade\r\n\r\n")
		all, _ := io.ReadAll(r) // until the visitor's half ends
		fmt.Fprintf(conn, "%d bytes", len(all))
	})
	conn, r, _ := h.socket("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tunnel\r\n\r\n")
	io.WriteString(conn, "12345")
	conn.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(r); err != nil || string(got) != "5 bytes" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The replica dies: a visitor between frames is told to come back.
func TestSocketOfADeadReplica(t *testing.T) {
	for name, die := range map[string]func(*house, net.Conn){
		"removed":   func(h *house, _ net.Conn) { h.app("hello").Remove("r1", 0) },
		"its end":   func(_ *house, app net.Conn) { app.Close() },
		"its reset": func(_ *house, app net.Conn) { app.(*net.TCPConn).SetLinger(0); app.Close() },
	} {
		h := newHouse(t, nil)
		apps := make(chan net.Conn, 1)
		h.rawReplica("hello", "r1", socketApp(func(conn net.Conn, r *bufio.Reader) {
			ws.WriteFrame(conn, ws.NewTextFrame([]byte("hello")))
			apps <- conn
			io.Copy(io.Discard, r)
		}))
		conn, r, _ := h.socket(handshake)
		if frame, err := readFrame(r); err != nil || string(frame.Payload) != "hello" {
			t.Fatalf("%s: got %v, %v", name, frame, err)
		}
		die(h, <-apps)
		wantClose(t, r, 1012, "")
		conn.Close()
		h.idle("hello")
	}
}

// No frame of ours inside another one: it is a reset instead.
func TestSocketThatDiesInsideAFrame(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(func(conn net.Conn, r *bufio.Reader) {
		conn.Write(ws.MustCompileFrame(ws.NewTextFrame([]byte("a whole frame")))[:6])
		io.Copy(io.Discard, r)
	}))
	_, r, _ := h.socket(handshake)
	begun := make([]byte, 6)
	if _, err := io.ReadFull(r, begun); err != nil {
		t.Fatal(err)
	}
	h.app("hello").Remove("r1", 0)
	if rest, err := io.ReadAll(r); err == nil || len(rest) != 0 {
		t.Errorf("got %q and a clean end", rest)
	}
}

// The app that ends in the middle of a frame leaves no clean end behind.
func TestSocketOfAnAppThatEndsInsideAFrame(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(func(conn net.Conn, r *bufio.Reader) {
		conn.Write(ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(4001, "bye")))[:2])
	}))
	_, r, _ := h.socket(handshake)
	if rest, err := io.ReadAll(r); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %q, %v", rest, err)
	}
}

// The app ends at the moment at which we end the tunnel: the close frame that could not be written then is written last.
func TestCloseFrameThatCameTooLate(t *testing.T) {
	visitor, theirs := net.Pipe()
	defer theirs.Close()
	socket := &webSocket{code: func() ws.StatusCode { return statusServiceRestart }}
	if words, err := socket.Ending(); len(words) == 0 || err != nil {
		t.Fatalf("it would say %q, %v", words, err)
	}
	go socket.Farewell(visitor, nil)
	wantClose(t, theirs, 1012, "")
}

// case B080: whatever else the app says is an answer like any other, and the last one.
func TestRefusedHandshakePasses(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Why", "login")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "log in first")
	})
	back := h.raw(handshake)
	if !strings.HasPrefix(back, "HTTP/1.1 403 ") || !strings.Contains(back, "X-Why: login") || !strings.HasSuffix(back, "\r\n\r\nlog in first") {
		t.Errorf("got %q", back)
	}
}

// What a visitor has sent behind a handshake, sure of his socket, is no request when he gets none: be it that the app
// refuses him, or that we do.
func TestBytesBehindARefusedHandshake(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].NoWake = []conf.NoWake{{Path: "/asleep"}} })
	var asked atomic.Int32
	refuse := func(conn net.Conn, r *bufio.Reader) {
		for head(r) != "" {
			asked.Add(1)
			io.WriteString(conn, "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n")
		}
	}
	const behind = "GET /asleep/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	if back := h.raw(strings.Replace(handshake, "/socket", "/asleep", 1) + behind); strings.Count(back, "HTTP/1.1 ") != 1 {
		t.Errorf("refused by us: got %q", back)
	}
	h.rawReplica("hello", "r1", refuse)
	if back := h.raw(handshake + behind); strings.Count(back, "HTTP/1.1 ") != 1 || asked.Load() != 1 {
		t.Errorf("refused by the app, which was asked %d times: got %q", asked.Load(), back)
	}
}

// case B077a
func TestSwitchToSomethingElse(t *testing.T) {
	h := newHouse(t, nil)
	var open atomic.Int64
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		open.Add(1)
		defer open.Add(-1)
		io.WriteString(conn, strings.Replace(switched, "websocket", "gopher", 1))
		io.Copy(io.Discard, r)
	})
	for range 50 {
		_, _, back := h.socket(handshake)
		if !strings.HasPrefix(back, "HTTP/1.1 502 ") {
			t.Fatalf("got %q", back)
		}
	}
	eventually(t, "the app's connections are closed", func() bool { return open.Load() == 0 })
	h.idle("hello")
}

// case B073's shape: a socket waits for a replica like a POST.
func TestSocketIsHeld(t *testing.T) {
	h := newHouse(t, nil)
	go func() {
		waitFor(h, 1)
		h.rawReplica("hello", "r1", socketApp(echo))
	}()
	if _, _, back := h.socket(handshake); !strings.HasPrefix(back, "HTTP/1.1 101 ") {
		t.Errorf("got %q", back)
	}
}

// P7, case B086
func TestReloadKeepsSockets(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(echo))
	conn, r, _ := h.socket(handshake)
	for range 50 {
		h.config = &conf.Config{Apps: map[string]*conf.App{"hello": appConfig("/"), "other": appConfig("/other")}}
		h.configure()
	}
	h.config = &conf.Config{Apps: map[string]*conf.App{"other": appConfig("/other")}}
	h.configure()
	io.WriteString(conn, "still")
	got := make([]byte, 5)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "still" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A plain request with an Upgrade that cannot be one goes as a plain request.
func TestUpgradesThatAreNone(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Upgrade")) })
	for _, header := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket, H2C\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUpgrade: websocket\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\nx",
	} {
		back := h.raw(header)
		if !strings.Contains(back, " 200 OK\r\n") || strings.Contains(back, "websocket") || strings.Contains(back, "h2c") {
			t.Errorf("%.60q: got %q", header, back)
		}
	}
}

func TestFramesAreFollowed(t *testing.T) {
	stream := []byte{}
	for _, n := range []int{0, 1, 125, 126, 65535, 65536} {
		stream = append(stream, ws.MustCompileFrame(ws.NewBinaryFrame(make([]byte, n)))...)
		stream = append(stream, ws.MustCompileFrame(ws.MaskFrame(ws.NewPingFrame([]byte("x"))))...)
	}
	ends := map[int]bool{0: true}
	for at, r := 0, strings.NewReader(string(stream)); r.Len() > 0; {
		if _, err := readFrame(r); err != nil {
			t.Fatal(err)
		}
		at = len(stream) - r.Len()
		ends[at] = true
	}
	for _, step := range []int{1, 7, 4096} {
		var f frames
		for at := 0; at < len(stream); at += step {
			f.follow(stream[at:min(at+step, len(stream))])
			if at := min(at+step, len(stream)); f.between() != ends[at] {
				t.Fatalf("in steps of %d, at %d: between is %v", step, at, f.between())
			}
		}
		if f.closed {
			t.Error("a close frame was seen")
		}
	}
}

// case B079: nothing is left when many end at once.
func TestManySocketsOfADeadReplica(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", socketApp(echo))
	var readers []*bufio.Reader
	for range 100 {
		_, r, _ := h.socket(handshake)
		readers = append(readers, r)
	}
	h.app("hello").Remove("r1", 0)
	for _, r := range readers {
		wantClose(t, r, 1012, "")
	}
	drained := make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		h.front.Drain(ctx)
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(5 * time.Second):
		t.Error("stories are still told")
	}
}

// readFrame reads one frame of an app that is the test's own; frames here are small.
func readFrame(r io.Reader) (ws.Frame, error) {
	header, err := ws.ReadHeader(r)
	if err != nil {
		return ws.Frame{}, err
	}
	payload := make([]byte, header.Length)
	_, err = io.ReadFull(r, payload)
	return ws.Frame{Header: header, Payload: payload}, err
}
