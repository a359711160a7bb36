package h1

import (
	"errors"
	"time"
)

// differ is for what is no request of HTTP/1.
func (c *inbound) differ(err error) step {
	var malformed *Malformed
	if errors.As(err, &malformed) {
		c.refuse(malformed)
		return stop
	}
	return c.speakHTTP2()
}

// refuse answers what is no request. The strings of its head may be cut anywhere, and stay out of it.
func (c *inbound) refuse(why *Malformed) {
	c.in.refused()
	if c.server.Refuse != nil {
		c.server.Refuse(c.ctx, c.in, why)
	} else {
		_ = c.in.Start(why.Status, nil, 0)
		c.in.Finish(nil)
	}
	if c.in.finished && !c.in.failed {
		c.linger()
	}
}

// speakHTTP2 hands the connection on as if nothing had been read.
func (c *inbound) speakHTTP2() step {
	if c.server.HTTP2 == nil || c.tls != nil || c.served > 0 {
		c.refuse(errVersion)
		return stop
	}
	if c.strand != nil {
		return c.leaveLoop()
	}
	early := append([]byte(nil), c.in.buf[:c.in.filled]...)
	c.handed = true
	c.release()
	_ = c.conn.SetReadDeadline(time.Time{})
	c.server.exit(c)
	c.server.HTTP2(&unread{Conn: c.conn, early: early})
	return stop
}
