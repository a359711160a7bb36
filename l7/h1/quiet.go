package h1

import (
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

const (
	// warm is how long a kept connection on a loop is taken for what the loop last saw of it. An app's idle limit is longer,
	// with some room: each end that is met too late costs a look at the app.
	warm = 10 * time.Millisecond
	// trial is how often an app's kept connections are looked at before that: there are apps that end each after its answer.
	trial = 100
)

// usable says whether a kept connection may carry the request. A loop sees an end within a turn, which will do for one that
// has just served, for an app that does not end them, and for a request that may be sent again.
func (c *conn) usable(r *Request) bool {
	if c.strand == nil {
		return c.asks(r) || c.quiet() // who asks looks by himself
	}
	known := c.trusted && !c.strand.Readable() && repeatable(r) && c.strand.Loop().Now()-loop.At(c.kept) < warm
	if c.link == nil {
		return known || c.strand.Quiet()
	}
	if !known {
		c.strand.Quiet() // or else it is not asked again
	}
	return c.idleUnderTLS()
}

func repeatable(r *Request) bool {
	return r.Body == nil && (r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions)
}

// quiet says whether an idle connection still may be used: the app has neither closed it nor sent anything. Whatever it
// sent belongs to no request of ours, and would be taken for the next answer.
func (c *conn) quiet() bool {
	switch {
	case c.link != nil:
		return c.idleUnderTLS()
	case c.peeker != nil:
		return c.peeker.quiet()
	}
	return c.quietForAMoment()
}

// quietForAMoment is for connections without a socket, and for systems without a peek that does not block.
func (c *conn) quietForAMoment() bool {
	if c.Conn.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return false
	}
	var one [1]byte
	n, err := c.Conn.Read(one[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && c.Conn.SetReadDeadline(time.Time{}) == nil
}
