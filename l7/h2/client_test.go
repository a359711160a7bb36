package h2

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// app is one that speaks HTTP/2 frame by frame, on as many connections as are opened to it.
type app struct {
	t      *testing.T
	client *Client
	target h1.Target
	conns  chan *peer
	lost   chan h1.Target
	ended  chan struct{} // close it to end the target
}

func newApp(t *testing.T) *app {
	a := &app{t: t, conns: make(chan *peer, 10), lost: make(chan h1.Target, 10), ended: make(chan struct{})}
	a.client = &Client{Dial: a.dial, Lost: func(to h1.Target) { a.lost <- to }}
	a.target = h1.Target{Key: a, Direct: true, Ended: a.ended}
	t.Cleanup(a.client.Close)
	return a
}

func (a *app) dial(context.Context, netip.AddrPort, bool) (net.Conn, error) {
	ours, theirs := net.Pipe()
	a.conns <- newPeer(a.t, theirs)
	return ours, nil
}

// accept takes the next connection, greets, and hears what it says.
func (a *app) accept(settings ...http2.Setting) *peer {
	p := <-a.conns
	if _, err := io.ReadFull(p.conn, make([]byte, len(http2.ClientPreface))); err != nil {
		a.t.Error(err)
	}
	go p.listen()
	_ = p.framer.WriteSettings(settings...)
	return p
}

// asked is what has become of a request.
type asked struct {
	response *h1.Response
	err      error
}

func (a *app) ask(r *h1.Request) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		response, err := a.client.Do(a.t.Context(), a.target, r, nil)
		done <- asked{response, err}
	}()
	return done
}

func get() *h1.Request { return &h1.Request{Method: "GET", URI: "/", Host: "x"} }

func post(body io.Reader) *h1.Request {
	return &h1.Request{Method: "POST", URI: "/", Host: "x", Body: body, ContentLength: -1, Released: func() {}}
}

// request is the next one that comes.
func (p *peer) request() *http2.MetaHeadersFrame { return next[*http2.MetaHeadersFrame](p) }

func (p *peer) answer(id uint32) { p.begin(id, p.encode(":status", "200"), true) }

func (d asked) is(t *testing.T, want error, sent bool) {
	t.Helper()
	var e *h1.Error
	if !errors.As(d.err, &e) || !errors.Is(e, want) || e.Sent != sent {
		t.Errorf("got %v (%+v), want %v, sent: %v", d.err, e, want, sent)
	}
}

func (d asked) ok(t *testing.T) {
	t.Helper()
	if d.err != nil || d.response.Status != 200 {
		t.Fatalf("got %v, %v", d.response, d.err)
	}
	d.response.Body.Close()
}

// P4: what the app says that it did not look at is sent once more, and only once; it counts as not sent.
func TestRefusedStreams(t *testing.T) {
	a := newApp(t)
	done := a.ask(get())
	p := a.accept()
	_ = p.framer.WriteRSTStream(p.request().StreamID, http2.ErrCodeRefusedStream)
	p.answer(p.request().StreamID)
	(<-done).ok(t)

	done = a.ask(get())
	for range 2 {
		_ = p.framer.WriteRSTStream(p.request().StreamID, http2.ErrCodeRefusedStream)
	}
	(<-done).is(t, errUnseen, false)
}

// A body that was begun is not there any more: the request is not sent again.
func TestRefusedUploadsAreNotRepeated(t *testing.T) {
	a := newApp(t)
	done := a.ask(post(strings.NewReader("all of it")))
	p := a.accept()
	id := p.request().StreamID
	next[*http2.DataFrame](p)
	_ = p.framer.WriteRSTStream(id, http2.ErrCodeRefusedStream)
	d := <-done
	d.is(t, errUnseen, false)
	var e *h1.Error
	if errors.As(d.err, &e); !e.BodyRead {
		t.Error("it does not say that the body was read")
	}
}

// A GOAWAY leaves those streams that it names, and sends the others elsewhere, which takes another connection. It is no
// death, whenever the connection ends after it.
func TestGoAway(t *testing.T) {
	a := newApp(t)
	first := a.ask(get())
	p := a.accept()
	one := p.request().StreamID
	second := a.ask(get())
	p.request()
	_ = p.framer.WriteGoAway(one, http2.ErrCodeNo, nil)
	q := a.accept()
	q.answer(q.request().StreamID)
	(<-second).ok(t)
	p.answer(one)
	(<-first).ok(t)
	if code := p.end(); code != http2.ErrCodeNo { // its last stream has ended
		t.Errorf("it ended with %v", code)
	}
	select {
	case <-a.lost:
		t.Error("it was taken for dead")
	default:
	}
}

// An idle connection that the app ends is a sign of death; the next request finds another one.
func TestStaleConnections(t *testing.T) {
	a := newApp(t)
	done := a.ask(get())
	p := a.accept()
	p.answer(p.request().StreamID)
	(<-done).ok(t)
	p.conn.Close()
	select {
	case to := <-a.lost:
		if to.Key != a {
			t.Errorf("another one was lost: %v", to)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("nobody was told")
	}
	done = a.ask(get())
	q := a.accept()
	q.answer(q.request().StreamID)
	(<-done).ok(t)
}

// What an attempt says of itself decides whether another one may follow.
func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		app  func(a *app)
		want error
		sent bool
	}{
		"it speaks something else": {func(a *app) {
			p := <-a.conns
			go func() { _, _ = io.Copy(io.Discard, p.conn) }()
			_, _ = io.WriteString(p.conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			p.conn.Close()
		}, nil, false},
		"it ends before it greets": {func(a *app) { (<-a.conns).conn.Close() }, nil, false},
		"it dies under the request": {func(a *app) {
			p := a.accept()
			p.request()
			p.conn.Close()
		}, h1.ErrNoResponse, true},
		"it resets the stream": {func(a *app) {
			p := a.accept()
			_ = p.framer.WriteRSTStream(p.request().StreamID, http2.ErrCodeInternal)
		}, h1.ErrResponse, true},
		"it breaks the protocol": {func(a *app) {
			p := a.accept()
			p.request()
			_ = p.framer.WriteData(99, true, nil)
		}, h1.ErrResponse, true},
		"it answers nonsense": {func(a *app) {
			p := a.accept()
			p.begin(p.request().StreamID, p.encode(":status", "20"), true)
		}, h1.ErrResponse, true},
		"it pushes": {func(a *app) {
			p := a.accept()
			id := p.request().StreamID
			_ = p.framer.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, BlockFragment: p.header("GET"), EndHeaders: true})
		}, h1.ErrResponse, true},
		"its start ends": {func(a *app) {
			p := a.accept()
			p.request()
			close(a.ended)
		}, h1.ErrEnded, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			done := a.ask(get())
			test.app(a)
			d := <-done
			if test.want == nil {
				test.want = d.err
			}
			d.is(t, test.want, test.sent)
		})
	}
}

// P5: nothing is asked of a start that is over.
func TestNothingIsAskedAfterTheEnd(t *testing.T) {
	a := newApp(t)
	close(a.ended)
	(<-a.ask(get())).is(t, h1.ErrEnded, false)
	if len(a.conns) > 0 {
		t.Error("it was dialled")
	}
}

// An app that takes one stream at a time gets a second connection, not a second stream.
func TestAppsLimitStreams(t *testing.T) {
	a := newApp(t)
	first := a.ask(get())
	p := a.accept(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1})
	one := p.request().StreamID
	second := a.ask(get())
	q := a.accept()
	q.answer(q.request().StreamID)
	(<-second).ok(t)
	p.answer(one)
	(<-first).ok(t)
}

// A body that breaks off is no whole one, and the app is told.
func TestBrokenUploadsAreReset(t *testing.T) {
	a := newApp(t)
	from, into := io.Pipe()
	done := a.ask(post(from))
	p := a.accept()
	id := p.request().StreamID
	broken := errors.New("broken")
	into.CloseWithError(broken)
	if f := next[*http2.RSTStreamFrame](p); f.StreamID != id || f.ErrCode != http2.ErrCodeCancel {
		t.Errorf("the app was told %v", f)
	}
	d := <-done
	d.is(t, h1.ErrRequestBody, true)
	d.is(t, broken, true)
}
