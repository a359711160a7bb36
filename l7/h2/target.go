package h2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// target is what the client keeps of an h1.Target: its connections, of which one is mostly enough.
type target struct {
	client *Client
	self   h1.Target
	ctx    context.Context // over, with the cause, when the target is
	cancel context.CancelCauseFunc

	mu      sync.Mutex // guards the fields below
	lines   []*line
	dialing *dialing // nil: nobody dials
}

// dialing is one dial, for all who wait for it.
type dialing struct {
	done chan struct{}
	err  error // after done
}

func newTarget(c *Client, self h1.Target) *target {
	t := &target{client: c, self: self}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// end closes all connections and lets no other in.
func (t *target) end(cause error) {
	t.cancel(cause)
	t.mu.Lock()
	lines := t.lines
	t.lines = nil
	t.mu.Unlock()
	for _, l := range lines {
		l.over(cause)
		l.Conn.Close()
	}
}

// open begins a stream, on a connection that has room or on a new one.
func (t *target) open(ctx context.Context, begin func(*line) *Stream) (*Stream, error) {
	for {
		lines := t.known()
		for _, l := range lines {
			if s := begin(l); s != nil {
				return s, nil
			}
		}
		wait := t.dials(lines)
		select {
		case <-wait.done:
			if wait.err != nil {
				return nil, wait.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-t.ctx.Done():
			return nil, context.Cause(t.ctx)
		}
	}
}

func (t *target) known() []*line {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

// dials returns the dial under way, or begins one. None is needed if there are other connections than those tried.
func (t *target) dials(tried []*line) *dialing {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialing == nil && !slices.Equal(t.lines, tried) {
		return dialed
	}
	if t.dialing == nil {
		t.dialing = &dialing{done: make(chan struct{})}
		go t.dial(t.dialing)
	}
	return t.dialing
}

// dialed is a dial that is over.
var dialed = func() *dialing {
	d := &dialing{done: make(chan struct{})}
	close(d.done)
	return d
}()

// dial is a goroutine: who waits for it may leave.
func (t *target) dial(d *dialing) {
	l, err := t.connect()
	t.mu.Lock()
	if err == nil && t.ctx.Err() == nil {
		t.lines = append(t.lines, l)
	}
	t.dialing = nil
	t.mu.Unlock()
	if err == nil && t.ctx.Err() != nil {
		l.Conn.Close()
		err = context.Cause(t.ctx)
	}
	d.err = err
	close(d.done)
	if err == nil {
		go l.serve()
	}
}

// connect returns when the app has said that it speaks HTTP/2.
func (t *target) connect() (*line, error) {
	ctx, cancel := context.WithTimeout(t.ctx, greeting)
	defer cancel()
	raw, err := t.client.Dial(ctx, t.self.Addr, t.self.Direct)
	if err != nil {
		return nil, explained(t.ctx, err)
	}
	defer context.AfterFunc(t.ctx, func() { raw.Close() })()
	l := newLine(t, raw)
	if err := l.greetings(); err != nil {
		raw.Close()
		return nil, explained(t.ctx, fmt.Errorf("wait for the app's HTTP/2: %w", err))
	}
	return l, nil
}

func explained(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// remove forgets a connection, and says whether it was the last one.
func (t *target) remove(l *line) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.lines, l)
	if i < 0 {
		return false
	}
	t.lines = slices.Delete(t.lines, i, i+1)
	return len(t.lines) == 0 && t.dialing == nil
}

// line is the client's end of a connection.
type line struct {
	*conn
	target *target
	next   uint32 // stream; guarded by the connection's mutex, like all below
	left   bool   // the app has sent GOAWAY
}

func newLine(t *target, raw net.Conn) *line {
	l := &line{target: t, next: 1}
	l.conn = newConn(raw, limits{
		header: h1.MaxHeader, stream: 512 << 10, total: 4 << 20,
		begin: greeting, frame: 30 * time.Second, idle: h1.IdleTimeout, silence: 30 * time.Second, answer: 15 * time.Second,
	})
	l.conn.end, l.calm = l, calmForever // an app is no visitor
	return l
}

// greetings sends ours, and takes frames until the app's is there.
func (l *line) greetings() error {
	c := l.conn
	if err := c.SetDeadline(time.Now().Add(c.limits.begin)); err != nil {
		return err
	}
	c.mu.Lock()
	c.pending = append(c.pending, http2.ClientPreface...)
	c.greet(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(c.limits.stream)},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: uint32(c.limits.header)},
	)
	c.flush()
	c.mu.Unlock()
	for !c.greeted { // no other goroutine knows the connection yet
		if err := c.next(); err != nil {
			return err
		}
	}
	return c.SetDeadline(time.Time{})
}

func (l *line) serve() {
	err := l.run()
	last := l.target.remove(l)
	if l.died(err) && last && l.target.client.Lost != nil {
		l.target.client.Lost(l.target.self)
	}
}

// died says whether the app has ended the connection, without a word, while nobody asked for anything.
func (l *line) died(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.left && !l.finishing && !l.wasBusy && l.target.ctx.Err() == nil && !errors.Is(err, errSilence)
}

// goAway: streams that the app has not looked at may be sent elsewhere.
func (l *line) goAway(f *http2.GoAwayFrame) {
	l.left, l.finishing = true, true
	for id, s := range l.streams {
		if id > f.LastStreamID {
			s.drop(errUnseen)
		}
	}
	l.wake()
}

func (l *line) settled() {}

func (l *line) idle() {}

// headers of a response, or its trailer.
func (l *line) headers(f *http2.MetaHeadersFrame) error {
	s, err := l.known(f.StreamID)
	if s == nil {
		return err
	}
	switch {
	case s.inEnded:
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeStreamClosed}
	case s.final:
		return s.trailers(f)
	case l.exceeds(f), !isResponse(f), len(s.heads) > mostInterim, isFinal(f) && !s.measure(f):
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeProtocol, Cause: h1.ErrResponse}
	}
	s.heads, s.final = append(s.heads, f), isFinal(f)
	if f.StreamEnded() {
		s.endIn()
	}
	s.changed.Broadcast()
	return nil
}

// mostInterim answers may wait before the final one.
const mostInterim = 100
