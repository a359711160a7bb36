package l4

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// provenAfter is how long a connection behind a published port must stay open to count as the app's: a rootless
// forwarder took 191 ms to end one of an app that did not listen.
const provenAfter = 300 * time.Millisecond

// chunk is as much as is read of either side before the copying begins.
const chunk = 4 << 10

var chunks = sync.Pool{New: func() any { return new([chunk]byte) }}

// prove waits until a connection behind a published port is the app's: a byte came from there, the client has spoken, or
// it is open after a while. It returns what the app said.
//
// The rule for the client's bytes: what was handed to an upstream is never handed to another one, for an app that ends
// without an answer may still have acted on it. So a client who speaks first ends the trial, and if the connection then
// ends without an answer, he is told. While nothing was sent, another attempt is safe; and that one, careful because the
// first has failed, leaves his bytes where they are until the app has proven itself.
func (c *connection) prove(app net.Conn, careful bool) (greeting []byte, err error) {
	if len(c.early) > 0 && !careful {
		return nil, nil
	}
	buffer := chunks.Get().(*[chunk]byte)
	defer chunks.Put(buffer)
	_ = app.SetReadDeadline(time.Now().Add(provenAfter))
	stop := func() {}
	if !careful {
		stop = c.overhear(app)
	}
	n, err := app.Read(buffer[:])
	stop()
	_ = app.SetReadDeadline(time.Time{}) // it would end the connection later (case B143)
	switch {
	case n > 0:
		return append([]byte(nil), buffer[:n]...), nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %w", errEndedAtOnce, err)
}

// overhear reads the client's first bytes and ends the trial with them. The func that it returns ends the reading.
func (c *connection) overhear(app net.Conn) (stop func()) {
	heard := make(chan struct{})
	go c.hear(app, heard)
	return func() {
		_ = c.client.SetReadDeadline(past)
		<-heard
		_ = c.client.SetReadDeadline(time.Time{})
	}
}

var past = time.Unix(1, 0)

func (c *connection) hear(app net.Conn, heard chan<- struct{}) {
	defer close(heard)
	buffer := chunks.Get().(*[chunk]byte)
	defer chunks.Put(buffer)
	n, err := c.client.Read(buffer[:])
	c.early = append(c.early, buffer[:n]...)
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		_ = app.SetReadDeadline(past) // an end of his direction is for the copying to find
	}
}

// suspicious tells of a connection that the app ended soon and without an answer, although the client had spoken: behind
// a published port that may be all that there is to see of an app that does not listen any more. A client that has ended
// is no reason to tell anything.
func (s *story) suspicious(lease pool.Lease) {
	if lease.Upstream.Alive() && s.front.starts.mayReport(lease.Upstream) && s.front.stories.Begin() {
		go s.tellLate(lease)
	}
}

const lateBound = 30 * time.Second

func (s *story) tellLate(lease pool.Lease) {
	defer s.front.stories.End()
	ctx, cancel := context.WithTimeout(s.front.patience, lateBound)
	defer cancel()
	_ = s.failed(ctx, lease, &failure{"ended", errEndedAtOnce})
}
