package h1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// goroutines serve the connections of the present run.
var goroutines bool

// All tests run with both ways to serve a connection.
func TestMain(m *testing.M) {
	code := m.Run()
	if goroutines = true; code == 0 {
		code = m.Run()
	}
	os.Exit(code)
}

// reception is a server on a listener of its own.
type reception struct {
	*Server
	t    *testing.T
	addr string
}

func newReception(t *testing.T, s *Server) *reception {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.Goroutines = s.Goroutines || goroutines
	handler := s.Handler
	s.Handler = func(ctx context.Context, in *Incoming) {
		MayBlock(ctx) // as many a test's handler does
		handler(ctx, in)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error("a connection is left:", err)
		}
	})
	return &reception{s, t, l.Addr().String()}
}

// handled serves with a handler.
func handled(t *testing.T, handler func(ctx context.Context, in *Incoming)) *reception {
	return newReception(t, &Server{Handler: handler})
}

// echoes answers with what was asked, and the body.
func echoes(_ context.Context, in *Incoming) {
	var body []byte
	if in.Body != nil {
		var err error
		if body, err = io.ReadAll(in.Body); err != nil {
			in.Abort()
			return
		}
	}
	say(in, 200, in.Method+" "+in.Target+" "+string(body))
}

func say(in *Incoming, status int, text string) {
	_ = in.Start(status, fields.List{{Name: "Date", Value: "today"}}, int64(len(text)))
	_, _ = io.WriteString(in, text)
	in.Finish(nil)
}

func (r *reception) dial() net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

// raw sends bytes and returns what comes until the end.
func (r *reception) raw(text string) string {
	r.t.Helper()
	conn := r.dial()
	if _, err := io.WriteString(conn, text); err != nil {
		r.t.Fatal(err)
	}
	back, _ := io.ReadAll(conn)
	return string(back)
}

// until reads up to the end of what is wanted.
func until(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	var got []byte
	for !strings.HasSuffix(string(got), want) {
		c, err := r.ReadByte()
		if err != nil {
			t.Fatalf("%v after %q, want %q", err, got, want)
		}
		got = append(got, c)
	}
}

const answered = "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: "

func TestRequestsAreAnsweredInOrder(t *testing.T) {
	r := handled(t, func(ctx context.Context, in *Incoming) {
		if in.Target == "/slow" {
			time.Sleep(20 * time.Millisecond)
		}
		echoes(ctx, in)
	})
	back := r.raw("GET /slow HTTP/1.1\r\nHost: x\r\n\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab" +
		"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncde\r\n0\r\n\r\n" +
		"GET /" + strings.Repeat("long", 3000) + " HTTP/1.1\r\nHost: x\r\n\r\n" +
		"GET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: x\r\n\r\n")
	want := answered + "10\r\n\r\nGET /slow " + answered + "10\r\n\r\nPOST /a ab" + answered + "11\r\n\r\nPOST /b cde" +
		answered + "12006\r\n\r\nGET /" + strings.Repeat("long", 3000) + " " + answered + "7\r\nConnection: close\r\n\r\nGET /d "
	if back != want {
		t.Errorf("got  %.500q\nwant %.500q", back, want)
	}
}

// Requests that follow a chunked body are read with its end, more of them than the head's buffer holds.
func TestPipelineBehindAChunkedBody(t *testing.T) {
	r := handled(t, echoes)
	const one = "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	conn := r.dial()
	go io.WriteString(conn, strings.Repeat(one, 2000)+"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	back, err := io.ReadAll(conn)
	if n := strings.Count(string(back), "POST /p hello"); n != 2000 || err != nil || !strings.HasSuffix(string(back), "GET / ") {
		t.Errorf("got %d answers, %v, at the end %q", n, err, back[max(0, len(back)-100):])
	}
}

func TestOldVisitors(t *testing.T) {
	r := handled(t, func(_ context.Context, in *Incoming) {
		length := int64(-1)
		if in.Target == "/known" {
			length = 2
		}
		_ = in.Interim(103, nil)
		_ = in.Start(200, fields.List{{Name: "Date", Value: "today"}}, length)
		_, _ = io.WriteString(in, "ok")
		in.Finish(nil)
	})
	back := r.raw("GET /known HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
	want := answered + "2\r\nConnection: keep-alive\r\n\r\nokHTTP/1.1 200 OK\r\nDate: today\r\nConnection: close\r\n\r\nok"
	if back != want {
		t.Errorf("got  %q\nwant %q", back, want)
	}
}

func TestStreamedAnswer(t *testing.T) {
	next := make(chan struct{})
	r := handled(t, func(_ context.Context, in *Incoming) {
		_ = in.Interim(103, fields.List{{Name: "Link", Value: "a"}})
		_ = in.Start(200, fields.List{{Name: "Date", Value: "today"}, {Name: "Trailer", Value: "Sum"}}, -1)
		for _, part := range []string{"one", "", strings.Repeat("x", 10_000)} {
			_, _ = io.WriteString(in, part)
			_ = in.Flush()
			<-next
		}
		in.Finish(fields.List{{Name: "Sum", Value: "42"}})
	})
	conn := r.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	reader := bufio.NewReader(conn)
	until(t, reader, "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nDate: today\r\nTrailer: Sum\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
	next <- struct{}{}
	next <- struct{}{}
	until(t, reader, "2710\r\n"+strings.Repeat("x", 10_000)+"\r\n")
	next <- struct{}{}
	until(t, reader, "0\r\nSum: 42\r\n\r\n")
}

// cases B106, B107
func TestExpect(t *testing.T) {
	const ask = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
	t.Run("the handler reads", func(t *testing.T) {
		conn := handled(t, echoes).dial()
		reader := bufio.NewReader(conn)
		for range 2 {
			io.WriteString(conn, ask)
			until(t, reader, "HTTP/1.1 100 Continue\r\n\r\n")
			io.WriteString(conn, "hello")
			until(t, reader, answered+"12\r\n\r\nPOST / hello")
		}
	})
	t.Run("the handler has said so", func(t *testing.T) {
		r := handled(t, func(ctx context.Context, in *Incoming) {
			_ = in.Interim(100, nil)
			echoes(ctx, in)
		})
		back := r.raw(strings.Replace(ask, "Host: x", "Host: x\r\nConnection: close", 1) + "hello")
		if strings.Count(back, "100 Continue") != 1 || !strings.HasSuffix(back, "POST / hello") {
			t.Errorf("got %q", back)
		}
	})
	t.Run("refused", func(t *testing.T) {
		r := handled(t, func(_ context.Context, in *Incoming) { say(in, 401, "no") })
		back := r.raw(ask)
		if want := "HTTP/1.1 401 Unauthorized\r\nDate: today\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"; back != want {
			t.Errorf("got %q", back)
		}
	})
}

// An answer that comes before the request is there arrives, whatever is still being sent, and ends the connection.
func TestEarlyAnswerArrives(t *testing.T) {
	r := handled(t, func(_ context.Context, in *Incoming) {
		if _, err := in.Body.Read(make([]byte, 10)); err != nil {
			t.Error(err)
		}
		say(in, 413, "too large")
	})
	conn := r.dial()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for block := make([]byte, 1<<16); ; {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}()
	until(t, bufio.NewReader(conn), "HTTP/1.1 413 Request Entity Too Large\r\nDate: today\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
	select {
	case <-sent:
		t.Error("reset while he was sending")
	default:
	}
	conn.Close()
	<-sent
}

// case B118: what nobody has read of a body is no request.
func TestUnreadBodyIsNoRequest(t *testing.T) {
	const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, text := range map[string]string{
		"length":  fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(inner)) + inner,
		"chunked": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + inner,
	} {
		for _, status := range []int{200, 404} {
			r := handled(t, func(_ context.Context, in *Incoming) { say(in, status, in.Target) })
			if back := r.raw(text); strings.Count(back, "HTTP/1.1 ") != 1 || !strings.HasSuffix(back, "\r\n\r\n/") {
				t.Errorf("%s, %d: got %q", name, status, back)
			}
		}
	}
}

func TestBrokenAnswersAreNotTakenForComplete(t *testing.T) {
	for name, spoil := range map[string]func(*Incoming){
		"aborted":       func(in *Incoming) { _ = in.Start(200, nil, -1); _, _ = in.Write([]byte("abc")); in.Abort() },
		"too short":     func(in *Incoming) { _ = in.Start(200, nil, 5); _, _ = in.Write([]byte("abc")); in.Finish(nil) },
		"too long":      func(in *Incoming) { _ = in.Start(200, nil, 5); _, _ = in.Write([]byte("abcdefgh")); in.Finish(nil) },
		"never ended":   func(in *Incoming) { _ = in.Start(200, nil, -1); _, _ = in.Write([]byte("abc")) },
		"panicked":      func(in *Incoming) { _ = in.Start(200, nil, -1); _ = in.Flush(); panic("at the disco") },
		"never started": func(in *Incoming) {},
	} {
		for _, version := range []string{"1.1", "1.0"} {
			conn := handled(t, func(_ context.Context, in *Incoming) { spoil(in) }).dial()
			io.WriteString(conn, "GET / HTTP/"+version+"\r\nHost: x\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				continue
			}
			if body, err := io.ReadAll(response.Body); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s, HTTP/%s: %v after %q", name, version, err, body)
			}
		}
	}
}

// case B118: what is no request is answered once, and nothing behind it is served.
func TestRefusalEndsTheConnection(t *testing.T) {
	var served atomic.Int32
	r := handled(t, func(ctx context.Context, in *Incoming) {
		served.Add(1)
		echoes(ctx, in)
	})
	back := r.raw("GET / HTTP/1.1\r\nHost : x\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 400 Bad Request\r\n") || strings.Count(back, "HTTP/1.1") != 1 || served.Load() != 0 {
		t.Errorf("got %q, %d served", back, served.Load())
	}
}

// case B122: heads that dribble, bodies that stand still, silence.
func TestSlowVisitors(t *testing.T) {
	bodies := make(chan error, 1)
	r := newReception(t, &Server{
		HeaderTimeout: 100 * time.Millisecond, BodyTimeout: 100 * time.Millisecond, KeepAliveTimeout: 200 * time.Millisecond,
		Handler: func(_ context.Context, in *Incoming) {
			if in.Body != nil {
				_, err := io.Copy(io.Discard, in.Body)
				bodies <- err
			}
			say(in, 200, "ok")
		},
	})
	if back := r.raw("GET / HTTP/1.1\r\nHo"); !strings.HasPrefix(back, "HTTP/1.1 408 ") {
		t.Errorf("a part of a head: got %q", back)
	}
	if back := r.raw(""); back != "" {
		t.Errorf("silence: got %q", back)
	}
	if back := r.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasSuffix(back, "ok") {
		t.Errorf("silence after a request: got %q", back)
	}
	if back := r.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /"); !strings.Contains(back, "ok") || !strings.Contains(back, "HTTP/1.1 408 ") {
		t.Errorf("a part of a second head: got %q", back)
	}
	conn := r.dial()
	dribble := make(chan struct{})
	go func() {
		defer close(dribble)
		for _, err := io.WriteString(conn, "GET / HTTP/1.1\r\n"); err == nil; _, err = io.WriteString(conn, "A: b\r\n") {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if back, _ := io.ReadAll(conn); !strings.HasPrefix(string(back), "HTTP/1.1 408 ") {
		t.Errorf("a head that dribbles: got %q", back)
	}
	conn.Close()
	<-dribble
	r.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
	if err := <-bodies; !errors.Is(err, ErrSlowBody) {
		t.Errorf("a body that stands still: %v", err)
	}
}

// A body that comes slower than the slowest is cut although each read brings something; one that is fast enough is not.
func TestBodiesHaveAPace(t *testing.T) {
	for step, want := range map[int]error{1: ErrSlowBody, 200: nil} {
		bodies := make(chan error, 1)
		r := newReception(t, &Server{BodyTimeout: 300 * time.Millisecond, Handler: func(_ context.Context, in *Incoming) {
			_, err := io.Copy(io.Discard, in.Body)
			bodies <- err
			say(in, 200, "ok")
		}})
		conn := r.dial()
		io.WriteString(conn, fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 40*step))
		for range 40 {
			time.Sleep(20 * time.Millisecond)
			io.WriteString(conn, strings.Repeat("x", step))
		}
		if err := <-bodies; !errors.Is(err, want) {
			t.Errorf("%d bytes at a time: %v, want %v", step, err, want)
		}
	}
}

// Once the answer has begun, a body may pause.
func TestConversationMayPause(t *testing.T) {
	r := newReception(t, &Server{BodyTimeout: 20 * time.Millisecond, Handler: func(_ context.Context, in *Incoming) {
		_ = in.Start(200, nil, -1)
		_ = in.Flush()
		text, err := io.ReadAll(in.Body)
		_, _ = fmt.Fprintf(in, "%s %v", text, err)
		in.Finish(nil)
	}})
	conn := r.dial()
	reader := bufio.NewReader(conn)
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
	until(t, reader, "chunked\r\n\r\n")
	time.Sleep(100 * time.Millisecond)
	io.WriteString(conn, "cd")
	until(t, reader, "abcd <nil>\r\n0\r\n\r\n")
}

// A visitor who leaves is noticed while he is held, with and without a body that nobody reads, on any request.
func TestVisitorWhoLeavesIsNoticed(t *testing.T) {
	for name, text := range map[string]string{
		"GET":               "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST":              "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		"POST, not all":     "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nhello",
		"second":            "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /hold HTTP/1.1\r\nHost: x\r\n\r\n",
		"more than we read": "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n" + strings.Repeat("x", 50000),
	} {
		held, gone := make(chan struct{}), make(chan error, 1)
		r := handled(t, func(ctx context.Context, in *Incoming) {
			if in.Target == "/hold" {
				close(held)
				<-ctx.Done()
				gone <- context.Cause(ctx)
				in.Abort()
				return
			}
			echoes(ctx, in)
		})
		conn := r.dial()
		io.WriteString(conn, text)
		<-held
		conn.Close()
		select {
		case err := <-gone:
			if !errors.Is(err, errLeft) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: not noticed", name)
		}
	}
}

func TestHandlersMayUpgrade(t *testing.T) {
	r := handled(t, func(ctx context.Context, in *Incoming) {
		conn, early, err := in.Upgrade(fields.List{{Name: "Connection", Value: "Upgrade"}, {Name: "Upgrade", Value: "echo"}})
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = conn.Write(early)
		_, _ = io.Copy(conn, conn)
	})
	conn := r.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly")
	reader := bufio.NewReader(conn)
	until(t, reader, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly")
	io.WriteString(conn, "late")
	until(t, reader, "late")
}

func TestHTTP2IsHandedOver(t *testing.T) {
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	got := make(chan string, 1)
	r := newReception(t, &Server{HTTP2: func(conn net.Conn) {
		defer conn.Close()
		text := make([]byte, len(preface)+4)
		_, _ = io.ReadFull(conn, text)
		got <- string(text)
	}})
	conn := r.dial()
	io.WriteString(conn, preface)
	time.Sleep(10 * time.Millisecond)
	io.WriteString(conn, "more")
	if text := <-got; text != preface+"more" {
		t.Errorf("got %q", text)
	}
	r.HTTP2 = nil
	if back := handled(t, echoes).raw(preface); !strings.HasPrefix(back, "HTTP/1.1 505 ") {
		t.Errorf("nobody speaks it: got %q", back)
	}
}

func TestShutdown(t *testing.T) {
	begun, more := make(chan struct{}), make(chan struct{})
	r := handled(t, func(ctx context.Context, in *Incoming) {
		if in.Target == "/slow" {
			close(begun)
			<-more
		}
		echoes(ctx, in)
	})
	idle, silent, busy := r.dial(), r.dial(), r.dial()
	io.WriteString(idle, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	reader := bufio.NewReader(idle)
	until(t, reader, "GET / ")
	io.WriteString(busy, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
	<-begun
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := r.Shutdown(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("shut down under a request: %v", err)
	}
	for _, conn := range []io.Reader{reader, silent} {
		if rest, err := io.ReadAll(conn); err != nil || len(rest) != 0 {
			t.Errorf("idle ones: %q, %v", rest, err)
		}
	}
	close(more)
	if back, err := io.ReadAll(busy); err != nil || !strings.HasSuffix(string(back), "Connection: close\r\n\r\nGET /slow ") {
		t.Errorf("the busy one: %q, %v", back, err)
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// case B211: no descriptor left is no reason to stop accepting.
func TestAcceptGoesOn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Handler: echoes, Log: slog.New(slog.DiscardHandler)}
	served := make(chan error, 1)
	go func() { served <- s.Serve(&moody{Listener: l}) }()
	r := &reception{s, t, l.Addr().String()}
	if back := r.raw("GET / HTTP/1.0\r\n\r\n"); !strings.HasSuffix(back, "GET / ") {
		t.Errorf("got %q", back)
	}
	l.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the end of the listener: %v", err)
	}
}

type moody struct {
	net.Listener
	calls int
}

func (m *moody) Accept() (net.Conn, error) {
	if m.calls++; m.calls < 3 {
		return nil, errors.New("too many open files")
	}
	return m.Listener.Accept()
}

// A connection without a socket below does as well.
func TestPipes(t *testing.T) {
	s := &Server{Handler: echoes}
	client, server := net.Pipe()
	var done sync.WaitGroup
	done.Go(func() { s.ServeConn(server) })
	go io.WriteString(client, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	back, _ := io.ReadAll(client)
	if !slices.Equal(strings.Split(string(back), answered), []string{"", "13\r\n\r\nPOST /a hello", "7\r\nConnection: close\r\n\r\nGET /b "}) {
		t.Errorf("got %q", back)
	}
	done.Wait()
}

// A visitor who takes nothing of his answer does not keep it for ever.
func TestPausedDownloadEnds(t *testing.T) {
	failed := make(chan error, 1)
	r := newReception(t, &Server{StallTimeout: 100 * time.Millisecond, Handler: func(_ context.Context, in *Incoming) {
		_ = in.Start(200, nil, 64<<20)
		_, err := in.Write(make([]byte, 64<<20))
		in.Abort()
		failed <- err
	}})
	conn := r.dial()
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case err := <-failed:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
}
