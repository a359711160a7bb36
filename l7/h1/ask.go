package h1

import (
	"errors"
	"fmt"
)

// asks says whether a request goes out and its answer comes in by ask.
func (c *conn) asks(r *Request) bool { return c.asker != nil && !r.hasBody() }

// ask is send for a request without a body, and has the first bytes of the answer.
func (d *call) ask() error {
	d.phase = Writing
	d.out = d.request.appendHead(d.out[:0], d.client.idleTimeout() < 0)
	d.inflow.borrow()
	left, n, err := d.conn.asker.ask(d.out, d.inflow.buffer, d.conn.reused)
	d.inflow.w = n
	d.sent = len(left) < len(d.out)
	switch {
	case errors.Is(err, errNotQuiet):
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	case err != nil && len(left) == 0:
		d.phase = Reading
		return silence(d.conn.explain(err))
	case err != nil && !d.sent:
		return silence(d.conn.explain(err))
	case err == nil && len(left) > 0:
		n, err := d.conn.Write(left)
		if d.sent = d.sent || n > 0; !d.sent {
			return silence(err)
		}
	}
	return nil // as after send
}
