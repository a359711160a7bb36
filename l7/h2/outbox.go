package h2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/fairlead/fairlead/l7/fields"
)

// outbox collects frames under the connection's mutex and writes them without it. Whoever finds nobody writing writes:
// his own frames, and what others add meanwhile. So many small answers leave in one system call.
type outbox struct {
	write   *http2.Framer // appends to pending
	encoder *hpack.Encoder
	block   bytes.Buffer // what the encoder has made
	pending []byte
	spare   []byte
	writing bool
	written sync.Cond // writing has ended
	kicked  bool      // somebody is about to write
	renewed time.Time // when the deadline of writes was
	crowd   []*Stream // they wait for pending to become shorter
}

const (
	fullOutbox  = 64 << 10  // from here on DATA waits
	floodOutbox = 256 << 10 // of answers to frames that the peer sends and does not read
)

func (c *conn) initOutbox() {
	c.write = http2.NewFramer(appender{&c.pending}, nil)
	c.written.L = &c.mu
	c.encoder = hpack.NewEncoder(&c.block)
	c.encoder.SetMaxDynamicTableSizeLimit(tableSize)
}

type appender struct{ to *[]byte }

func (a appender) Write(p []byte) (int, error) {
	*a.to = append(*a.to, p...)
	return len(p), nil
}

// flush writes what is pending, if nobody does. The mutex is held on entry and on return, not in between.
func (c *conn) flush() {
	for round := 0; !c.writing && len(c.pending) > 0 && c.cause == nil; round++ {
		if round == rounds {
			c.kick()
			return
		}
		c.writeBatch()
	}
}

// rounds is for how long one stream writes for all others.
const rounds = 4

func (c *conn) writeBatch() {
	batch := c.pending
	c.pending, c.writing = c.spare[:0], true
	c.renew()
	c.mu.Unlock()
	_, err := c.Conn.Write(batch)
	c.mu.Lock()
	c.writing = false
	c.written.Broadcast()
	if c.spare = batch; cap(batch) > 2*fullOutbox || len(c.streams) == 0 {
		c.spare = nil // an idle connection holds no buffer
	}
	if err != nil {
		c.fail(fmt.Errorf("write: %w", err))
	}
	for _, s := range c.crowd {
		s.changed.Broadcast()
	}
	c.crowd = c.crowd[:0]
	if c.left() {
		c.wake()
	}
}

// renew gives the peer time again to read from the socket. It does so now and then: a timer costs more than that is worth.
func (c *conn) renew() {
	if c.limits.stall <= 0 {
		return
	}
	if now := time.Now(); now.Sub(c.renewed) > c.limits.stall/slack {
		c.renewed = now
		_ = c.SetWriteDeadline(now.Add(c.limits.stall))
	}
}

// slack is the part of its time that a deadline may lack.
const slack = 8

// kick is flush for the goroutine that reads: were it to wait for the peer to read, and the peer for it, both would wait
// for ever. The mutex is held.
func (c *conn) kick() {
	if !c.writing && !c.kicked && len(c.pending) > 0 && c.cause == nil {
		c.kicked = true
		go c.flushAll()
	}
}

func (c *conn) flushAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kicked = false
	c.flush()
}

// fail ends the connection from the writing side. The mutex is held.
func (c *conn) fail(cause error) {
	c.ended(cause)
	c.Conn.Close() // wakes who reads
}

// sendHeaders queues a header block, in as many frames as it takes. The mutex is held.
func (c *conn) sendHeaders(id uint32, pseudo, h fields.List, end bool) {
	c.block.Reset()
	for _, f := range pseudo {
		c.encode(f.Name, f.Value)
	}
	for _, f := range h {
		if name := Lower(f.Name); !OfConnection(name) {
			c.encode(name, f.Value)
		}
	}
	block := c.block.Bytes()
	first := block[:min(len(block), c.peer.frame)]
	block = block[len(first):]
	_ = c.write.WriteHeaders(http2.HeadersFrameParam{
		StreamID: id, BlockFragment: first, EndStream: end, EndHeaders: len(block) == 0,
	})
	for len(block) > 0 {
		part := block[:min(len(block), c.peer.frame)]
		block = block[len(part):]
		_ = c.write.WriteContinuation(id, len(block) == 0, part)
	}
}

// encode into a buffer, which cannot fail. Secrets are kept out of the compression's table (RFC 7541 section 7.1.3), which
// keeps all else: a copy, as the strings may be lent.
func (c *conn) encode(name, value string) {
	secret := name == "authorization" || name == "set-cookie" || name == "cookie" && len(value) < 20
	if !secret {
		both := name + value
		name, value = both[:len(name)], both[len(name):]
	}
	_ = c.encoder.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: secret})
}

// sendData queues one frame, without the copy that the framer would make. The mutex is held.
func (c *conn) sendData(id uint32, p []byte, end bool) {
	var h [9]byte
	binary.BigEndian.PutUint32(h[:4], uint32(len(p))<<8|uint32(http2.FrameData))
	if end {
		h[4] = byte(http2.FlagDataEndStream)
	}
	binary.BigEndian.PutUint32(h[5:], id)
	c.pending = append(c.pending, h[:]...)
	c.pending = append(c.pending, p...)
}

// sendReset queues a RST_STREAM. The mutex is held.
func (c *conn) sendReset(id uint32, code http2.ErrCode) {
	_ = c.write.WriteRSTStream(id, code)
	c.dropped.add(id)
}
