package relay

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// byGoroutines joins connections of any kind, and returns when they have ended and are closed.
func byGoroutines(ctx context.Context, a, b net.Conn, o Options) (Stats, error) {
	t := &tunnel{a: a, b: b, options: o}
	t.silence = newSilence(o, t.fail)
	defer t.close()
	defer t.silence.stop()
	defer context.AfterFunc(ctx, func() { t.fail(context.Cause(ctx)) })()

	var back sync.WaitGroup
	back.Go(t.fromB)
	t.fromA()
	back.Wait()

	err := t.cause()
	if err != nil {
		t.farewell(err)
	}
	return t.stats, err
}

// tunnel is one that goroutines serve.
type tunnel struct {
	a, b    net.Conn
	options Options
	stats   Stats // each field belongs to one direction until both have ended
	silence *silence
	asked   atomic.Bool // B was told that A has ended

	mu  sync.Mutex // guards err
	err error
}

func (t *tunnel) close() {
	t.a.Close()
	t.b.Close()
}

// farewell comes when both loops have stopped, and both connections are open and past their deadlines.
func (t *tunnel) farewell(cause error) {
	switch {
	case t.options.Guard != nil:
		t.options.Guard.Farewell(t.a, cause)
	case t.options.Reset != nil && t.options.Reset(cause):
		linger(t.a)
		linger(t.b)
	}
}

// linger makes Close reset the connection.
func linger(conn net.Conn) {
	if socket, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = socket.SetLinger(0)
	}
}

// fail ends both directions. Deadlines wake whoever reads or writes, and leave the connections open for a farewell.
func (t *tunnel) fail(cause error) {
	if !t.failed(cause) {
		return
	}
	t.a.SetDeadline(past)
	t.b.SetDeadline(past)
}

var past = time.Unix(1, 0)

// failed says whether this is the first cause.
func (t *tunnel) failed(cause error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return false
	}
	t.err = cause
	return true
}

func (t *tunnel) cause() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
