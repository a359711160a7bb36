package l7

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"golang.org/x/net/http2"
)

// socketEnd is a visitor's end of a WebSocket, whatever it came over.
type socketEnd struct {
	io.Reader
	io.Writer
	end func() // of our half
}

// overEach runs a test over HTTP/1.1, HTTP/2 (RFC 8441) and HTTP/3 (RFC 9220).
func overEach(t *testing.T, test func(t *testing.T, h *house, open func() socketEnd)) {
	for name, open := range map[string]func(*house) func() socketEnd{
		"h1": (*house).overHTTP1, "h2": (*house).overHTTP2, "h3": (*house).overHTTP3,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, nil)
			test(t, h, open(h))
		})
	}
}

func (h *house) overHTTP1() func() socketEnd {
	return func() socketEnd {
		conn, r, header := h.socket(handshake)
		if !strings.HasPrefix(header, "HTTP/1.1 101") {
			h.t.Fatalf("got %q", header)
		}
		return socketEnd{r, conn, func() { conn.(*net.TCPConn).CloseWrite() }}
	}
}

func (h *house) overHTTP2() func() socketEnd {
	return func() socketEnd {
		visitor := h.connecting()
		up, feed := io.Pipe()
		request, _ := http.NewRequestWithContext(h.t.Context(), http.MethodConnect, h.url+"/socket?a=1", up)
		request.Header = http.Header{":protocol": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Protocol": {"a, b"}}
		response, err := visitor.RoundTrip(request)
		if err != nil {
			h.t.Fatal(err)
		}
		h.opened(response)
		return socketEnd{response.Body, feed, func() { feed.Close() }}
	}
}

// connecting is a client that sends extended CONNECTs: net/http's own sends none.
func (h *house) connecting() http.RoundTripper {
	//lint:ignore SA1019 what it is deprecated for refuses :protocol
	conn, err := (&http2.Transport{AllowHTTP: true, DisableCompression: true}).NewClientConn(h.dial())
	if err != nil {
		h.t.Fatal(err)
	}
	return conn
}

func (h *house) overHTTP3() func() socketEnd {
	url, client, _ := h.serveHTTP3()
	return func() socketEnd {
		stream := h.openHTTP3(url, client)
		request, _ := http.NewRequest(http.MethodConnect, url+"/socket?a=1", nil)
		request.Proto, request.Host = "websocket", "example.com"
		request.Header = http.Header{"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Protocol": {"a, b"}}
		if err := stream.SendRequestHeader(request); err != nil {
			h.t.Fatal(err)
		}
		response, err := stream.ReadResponse()
		if err != nil {
			h.t.Fatal(err)
		}
		h.opened(response)
		return socketEnd{stream, stream, func() { stream.Close() }}
	}
}

// opened checks the answer to an extended CONNECT.
func (h *house) opened(r *http.Response) {
	h.t.Helper()
	if r.StatusCode != 200 || r.Header.Get("Sec-Websocket-Protocol") != "a" || r.Header.Get("Sec-Websocket-Accept") != "" || r.Header.Get("Upgrade") != "" {
		h.t.Fatalf("got %v", r)
	}
}

// socketEcho is an app that keeps to RFC 6455, by gobwas/ws.
func socketEcho(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.RequestURI != "/socket?a=1" {
		http.Error(w, "no handshake", http.StatusBadRequest)
		return
	}
	conn, _, _, err := ws.HTTPUpgrader{Protocol: func(p string) bool { return p == "a" }}.Upgrade(r, w)
	if err != nil {
		return
	}
	defer conn.Close()
	control := wsutil.ControlFrameHandler(conn, ws.StateServerSide)
	reader := wsutil.Reader{Source: conn, State: ws.StateServerSide, CheckUTF8: true, OnIntermediate: control, MaxFrameSize: 8 << 20}
	for {
		if err := echoMessage(conn, &reader, control); err != nil {
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // a close with unread bytes is a reset, which may overtake the last frame
			return
		}
	}
}

func echoMessage(conn net.Conn, reader *wsutil.Reader, control wsutil.FrameHandlerFunc) error {
	header, err := reader.NextFrame()
	if err == nil && header.OpCode.IsControl() {
		return control(header, reader)
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(reader)
	}
	var protocol ws.ProtocolError
	switch {
	case err == nil:
		return wsutil.WriteServerMessage(conn, header.OpCode, text)
	case errors.Is(err, wsutil.ErrInvalidUTF8):
		return errors.Join(err, ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusInvalidFramePayloadData, ""))))
	case errors.Is(err, wsutil.ErrFrameTooLarge):
		return errors.Join(err, ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusMessageTooBig, ""))))
	case errors.As(err, &protocol):
		return errors.Join(err, ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusProtocolError, ""))))
	}
	return err
}

func frame(op ws.OpCode, fin bool, payload string) ws.Frame {
	return ws.MaskFrame(ws.NewFrame(op, fin, []byte(payload)))
}

func closeFrame(code ws.StatusCode, why string) ws.Frame {
	return ws.MaskFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, why)))
}

// The public conformance cases by their categories, through the proxy.
func TestSocketsConform(t *testing.T) {
	long := func(n int) string { return strings.Repeat("*", n) }
	bad := "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited"
	rsv := frame(ws.OpText, true, "x")
	rsv.Header.Rsv = ws.Rsv(false, true, false)
	reserved := frame(3, true, "")
	type reply struct {
		op      ws.OpCode
		payload string
	}
	closed := func(code ws.StatusCode) reply { return reply{ws.OpClose, string(ws.NewCloseFrameBody(code, ""))} }
	cases := map[string]struct {
		send []ws.Frame
		want []reply
	}{
		"1.1.1 empty text":               {[]ws.Frame{frame(ws.OpText, true, "")}, []reply{{ws.OpText, ""}}},
		"1.1.2 125 bytes":                {[]ws.Frame{frame(ws.OpText, true, long(125))}, []reply{{ws.OpText, long(125)}}},
		"1.1.3 126 bytes":                {[]ws.Frame{frame(ws.OpText, true, long(126))}, []reply{{ws.OpText, long(126)}}},
		"1.1.6 65535 bytes":              {[]ws.Frame{frame(ws.OpText, true, long(65535))}, []reply{{ws.OpText, long(65535)}}},
		"1.2.7 65536 bytes binary":       {[]ws.Frame{frame(ws.OpBinary, true, long(65536))}, []reply{{ws.OpBinary, long(65536)}}},
		"2.2 ping with payload":          {[]ws.Frame{frame(ws.OpPing, true, "hello")}, []reply{{ws.OpPong, "hello"}}},
		"2.4 ping of 125 bytes":          {[]ws.Frame{frame(ws.OpPing, true, long(125))}, []reply{{ws.OpPong, long(125)}}},
		"2.5 ping too long":              {[]ws.Frame{frame(ws.OpPing, true, long(126))}, []reply{closed(ws.StatusProtocolError)}},
		"2.7 unsolicited pong":           {[]ws.Frame{frame(ws.OpPong, true, "x"), frame(ws.OpText, true, "y")}, []reply{{ws.OpText, "y"}}},
		"2.10 ten pings":                 {[]ws.Frame{frame(ws.OpPing, true, "0"), frame(ws.OpPing, true, "1"), frame(ws.OpPing, true, "2")}, []reply{{ws.OpPong, "0"}, {ws.OpPong, "1"}, {ws.OpPong, "2"}}},
		"3.1 reserved bits":              {[]ws.Frame{rsv}, []reply{closed(ws.StatusProtocolError)}},
		"4.1.1 reserved opcode":          {[]ws.Frame{reserved}, []reply{closed(ws.StatusProtocolError)}},
		"5.1 fragmented ping":            {[]ws.Frame{frame(ws.OpPing, false, "x")}, []reply{closed(ws.StatusProtocolError)}},
		"5.3 two fragments":              {[]ws.Frame{frame(ws.OpText, false, "one"), frame(ws.OpContinuation, true, "two")}, []reply{{ws.OpText, "onetwo"}}},
		"5.6 ping between fragments":     {[]ws.Frame{frame(ws.OpText, false, "one"), frame(ws.OpPing, true, "p"), frame(ws.OpContinuation, true, "two")}, []reply{{ws.OpPong, "p"}, {ws.OpText, "onetwo"}}},
		"5.9 continuation of nothing":    {[]ws.Frame{frame(ws.OpContinuation, true, "x")}, []reply{closed(ws.StatusProtocolError)}},
		"5.18 text inside fragments":     {[]ws.Frame{frame(ws.OpText, false, "x"), frame(ws.OpText, true, "y")}, []reply{closed(ws.StatusProtocolError)}},
		"6.2.1 valid UTF-8":              {[]ws.Frame{frame(ws.OpText, true, "Hello-µ@ßöäüàá-UTF-8!!")}, []reply{{ws.OpText, "Hello-µ@ßöäüàá-UTF-8!!"}}},
		"6.3.1 invalid UTF-8":            {[]ws.Frame{frame(ws.OpText, true, bad)}, []reply{closed(ws.StatusInvalidFramePayloadData)}},
		"6.2.3 character over fragments": {[]ws.Frame{frame(ws.OpText, false, "\xce"), frame(ws.OpContinuation, true, "\xba")}, []reply{{ws.OpText, "\xce\xba"}}},
		"7.1.1 close":                    {[]ws.Frame{frame(ws.OpText, true, "x"), closeFrame(1000, "")}, []reply{{ws.OpText, "x"}, closed(1000)}},
		"7.7.9 own code":                 {[]ws.Frame{closeFrame(4999, "")}, []reply{closed(4999)}},
		"9.1.6 a large message":          {[]ws.Frame{frame(ws.OpBinary, true, long(4<<20))}, []reply{{ws.OpBinary, long(4 << 20)}}},
		"9.9 too large for the app":      {[]ws.Frame{frame(ws.OpBinary, true, long(9<<20))}, []reply{closed(ws.StatusMessageTooBig)}},
	}
	overEach(t, func(t *testing.T, h *house, open func() socketEnd) {
		h.replica("hello", "r1", socketEcho)
		for name, c := range cases {
			socket := open()
			go func() {
				for _, f := range c.send {
					_ = ws.WriteFrame(socket, f)
				}
			}()
			for _, want := range c.want {
				got, err := readFrame(socket)
				if err != nil || got.Header.OpCode != want.op || string(got.Payload) != want.payload {
					t.Errorf("%s: got %v of %d bytes, %v", name, got.Header, len(got.Payload), err)
					break
				}
			}
			socket.end()
		}
		h.idle("hello")
	})
}

// Whoever ends first, the other side learns of it, and the app's close code comes through (case B085).
func TestSocketsEnd(t *testing.T) {
	overEach(t, func(t *testing.T, h *house, open func() socketEnd) {
		over := make(chan error, 1)
		h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
				acceptOf(request.Header.Get("Sec-WebSocket-Key"))+"\r\nSec-WebSocket-Protocol: a\r\n\r\n")
			_ = ws.WriteFrame(conn, ws.NewCloseFrame(ws.NewCloseFrameBody(4001, "bye")))
			_ = conn.(*net.TCPConn).CloseWrite()
			_, err = io.Copy(io.Discard, r)
			over <- err
		})
		socket := open()
		got, err := readFrame(socket)
		if code, why := ws.ParseCloseFrameData(got.Payload); err != nil || code != 4001 || why != "bye" {
			t.Errorf("got %v %q, %v", code, why, err)
		}
		if rest, err := io.ReadAll(socket); err != nil || len(rest) != 0 {
			t.Errorf("after the close: %q, %v", rest, err)
		}
		socket.end()
		if err := <-over; err != nil {
			t.Errorf("the app: %v", err)
		}
		h.idle("hello")
	})
}

// The replica goes, or we do: the visitor is told to come back.
func TestSocketsAreToldToComeBack(t *testing.T) {
	overEach(t, func(t *testing.T, h *house, open func() socketEnd) {
		h.replica("hello", "r1", socketEcho)
		one, two := open(), open()
		_ = ws.WriteFrame(two, frame(ws.OpText, true, "x"))
		if _, err := readFrame(two); err != nil {
			t.Fatal(err)
		}
		h.app("hello").Remove("r1", 0)
		for _, socket := range []socketEnd{one, two} {
			got, err := readFrame(socket)
			if code, _ := ws.ParseCloseFrameData(got.Payload); err != nil || code != statusServiceRestart {
				t.Errorf("got %v, %v", code, err)
			}
			socket.end()
		}
		h.idle("hello")
		h.replica("hello", "r2", socketEcho)
		three := open()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- h.front.Drain(ctx) }()
		got, err := readFrame(three)
		if code, _ := ws.ParseCloseFrameData(got.Payload); err != nil || code != ws.StatusGoingAway {
			t.Errorf("got %v, %v", code, err)
		}
		three.end()
		<-done
	})
}

// What an app says instead of an upgrade is an answer like any other (case B080); a key that it has not understood is none.
func TestSocketsThatAreRefused(t *testing.T) {
	h := newHouse(t, nil)
	status := "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(conn, status)
	})
	visitor := h.connecting()
	ask := func(protocol string) answer {
		up, _ := io.Pipe()
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodConnect, h.url, up)
		request.Header = http.Header{":protocol": {protocol}}
		response, err := visitor.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return answer{response, string(text), err}
	}
	if a := ask("websocket"); a.StatusCode != 403 || a.body != "no" {
		t.Errorf("got %v %q", a.Response, a.body)
	}
	status = switched // its key is another one
	if a := ask("websocket"); a.StatusCode != 502 || !bytes.Contains([]byte(a.body), []byte(reasonBadAnswer)) {
		t.Errorf("got %v %q", a.Response, a.body)
	}
	if a := ask("connect-udp"); a.StatusCode != 501 {
		t.Errorf("got %v", a.Response)
	}
}
