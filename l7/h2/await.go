package h2

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/net/http2"
)

var (
	errSilence = errors.New("the peer does not answer a PING")
	errLeft    = errors.New("the last stream has ended, and no other begins")
)

// frameHeader is the size of one.
const frameHeader = 9

// await returns when a frame has begun to come. Meanwhile it sees to it that neither an idle connection nor a dead peer
// is kept for ever.
func (c *conn) await() error {
	for c.reader.Buffered() < frameHeader {
		if err := c.patience(time.Now()); err != nil {
			return err
		}
		_, err := c.reader.Peek(frameHeader)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
	c.heard, c.pinged = time.Now(), time.Time{}
	if c.complete() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.midFrame = true
	return c.SetReadDeadline(c.heard.Add(c.limits.frame))
}

// complete says whether nothing more of the frame must come. A header block without its end must: slowloris is stopped
// here too.
func (c *conn) complete() bool {
	h, err := c.reader.Peek(frameHeader)
	if err != nil {
		return false
	}
	if http2.FrameType(h[3]) == http2.FrameHeaders && http2.Flags(h[4])&http2.FlagHeadersEndHeaders == 0 {
		return false
	}
	return c.reader.Buffered() >= frameHeader+int(binary.BigEndian.Uint32(h[:4])>>8)
}

// patience sets how long to wait for the next frame, or says that it was long enough. It does so under the mutex, as wake
// does: no wake is lost between.
func (c *conn) patience(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.kick()
	until := time.Time{}
	switch {
	case c.cause != nil:
		return c.cause
	case c.left():
		return errLeft
	case len(c.streams) > 0:
		return c.listen(now)
	case c.limits.idle > 0:
		if until = c.rested.Add(c.limits.idle); !now.Before(until) {
			_ = c.write.WriteGoAway(c.highest, http2.ErrCodeNo, nil)
			c.finishing, until = true, now.Add(lastWord)
		}
	}
	return c.SetReadDeadline(until)
}

// listen waits for a peer that should be there, and asks him if he is.
func (c *conn) listen(now time.Time) error {
	switch {
	case c.pinged.IsZero() && now.Sub(c.heard) < c.limits.silence:
		return c.SetReadDeadline(c.heard.Add(c.limits.silence))
	case c.pinged.IsZero():
		_ = c.write.WritePing(false, [8]byte{1})
		c.pinged = now
	case now.Sub(c.pinged) >= c.limits.answer:
		return errSilence
	}
	return c.SetReadDeadline(c.pinged.Add(c.limits.answer))
}

// wake makes the reading goroutine look at how things stand. Inside a frame it does so after it: a deadline there would
// be the connection's end. The mutex is held.
func (c *conn) wake() {
	if !c.midFrame {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// left says whether everything is done and said on a connection that takes no more. The mutex is held.
func (c *conn) left() bool {
	return c.finishing && len(c.streams) == 0 && len(c.pending) == 0 && !c.writing
}

// leave tells the peer to begin nothing more here, in two steps, so that what it has begun meanwhile is still served
// (RFC 9113 section 6.8). The connection ends with its last stream.
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving || c.cause != nil {
		return
	}
	c.leaving = true
	_ = c.write.WriteGoAway(maxWindow, http2.ErrCodeNo, nil)
	_ = c.write.WritePing(false, leavePing)
	time.AfterFunc(lastWord, c.leftAlone)
	c.kick()
}

var leavePing = [8]byte{'l', 'e', 'a', 'v', 'e'}

// leftAlone is for a peer that does not answer.
func (c *conn) leftAlone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish()
}

// finish is the second step. The mutex is held.
func (c *conn) finish() {
	if c.finishing || c.cause != nil {
		return
	}
	c.finishing = true
	_ = c.write.WriteGoAway(c.highest, http2.ErrCodeNo, nil)
	c.kick()
	c.wake()
}
