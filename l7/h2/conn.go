package h2

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// conn is one connection, whichever end of it we are. One goroutine, run, reads; whoever has something to say writes
// (outbox.go).
type conn struct {
	net.Conn
	end    end
	limits limits
	reader *bufio.Reader
	meter  meter         // between reader and framer
	framer *http2.Framer // reads; outbox has another one that writes
	heard  time.Time     // of the reading goroutine: when the last frame came
	pinged time.Time     // of it, too: when a PING went out that waits for an answer; zero: none

	mu sync.Mutex // guards all below, and all streams
	outbox
	streams   map[uint32]*Stream
	rested    time.Time   // since when no stream is open
	highest   uint32      // stream that the peer has begun, or that we have
	dropped   recent      // streams that we have reset: what was under way to them is no fault
	room      int64       // for DATA to the peer, of the whole connection
	intake    intake      // for DATA from the peer, of the whole connection
	peer      peerOptions // as its SETTINGS say
	calm      calm
	leaving   bool  // GOAWAY was sent
	cause     error // why the connection is over; nil: it is not
	greeted   bool  // the peer's first SETTINGS came
	wasBusy   bool  // streams were open when it ended
	midFrame  bool  // the rest of a frame is awaited
	finishing bool  // no stream begins any more: close when the last has ended
}

// end is what differs between the server's end and the client's. The connection's mutex is held in all of its methods.
type end interface {
	// headers handles a complete header block.
	headers(f *http2.MetaHeadersFrame) error
	// goAway: the peer begins to leave.
	goAway(f *http2.GoAwayFrame)
	// settled: the peer's SETTINGS were taken over.
	settled()
	// idle is called when the last stream has ended.
	idle()
}

// limits of one connection.
type limits struct {
	header  int           // bytes of a header list
	stream  int32         // bytes of a stream's body that wait to be read
	total   int32         // the same over all streams
	begin   time.Duration // for the preface and the first SETTINGS
	frame   time.Duration // for the rest of a frame that has begun
	idle    time.Duration // without a stream; 0: for ever
	silence time.Duration // with streams, until a PING asks whether the peer is there
	answer  time.Duration // for that PING's answer
	body    time.Duration // of patience with a stream that sends too slowly; 0: without a limit, as the next one
	stall   time.Duration // without the peer taking anything of what waits for it
}

// peerOptions are those of the peer's SETTINGS that matter here.
type peerOptions struct {
	window  int32 // of a new stream
	frame   int   // payload of a frame
	streams uint32
}

func newConn(raw net.Conn, l limits) *conn {
	reader := bufio.NewReaderSize(raw, 4<<10)
	c := &conn{Conn: raw, reader: reader, limits: l, streams: map[uint32]*Stream{}, rested: time.Now(), heard: time.Now()}
	c.meter.from = reader
	c.framer = http2.NewFramer(io.Discard, &c.meter)
	c.framer.SetReuseFrames()
	c.framer.ReadMetaHeaders = hpack.NewDecoder(tableSize, nil)
	c.framer.MaxHeaderListSize = 2 * uint32(l.header) // beyond it the framer ends the connection, with all of its streams
	c.framer.SetMaxReadFrameSize(frameSize)
	c.initOutbox()
	c.peer = peerOptions{window: firstWindow, frame: frameSize, streams: 100}
	c.room, c.intake = firstWindow, intake{left: firstWindow, full: l.total}
	c.calm = newCalm(time.Now())
	return c
}

const (
	tableSize   = 4096  // of header compression, either way
	frameSize   = 16384 // the largest payload that we take
	firstWindow = 1<<16 - 1
	maxWindow   = 1<<31 - 1
)

// greet queues our SETTINGS, and widens the connection's window, which no setting does. The mutex is held.
func (c *conn) greet(settings ...http2.Setting) {
	_ = c.write.WriteSettings(settings...)
	if more := c.limits.total - firstWindow; more > 0 {
		_ = c.write.WriteWindowUpdate(0, uint32(more))
		c.intake.left += more
	}
}

// run reads frames until the connection is over, and says why it is.
func (c *conn) run() error {
	for {
		err := c.await()
		if err == nil {
			err = c.next()
		}
		if err != nil {
			c.part(err)
			return err
		}
	}
}

// exceeds says whether a header list is larger than we take, as its peer was told (RFC 9113 section 6.5.2).
func (c *conn) exceeds(f *http2.MetaHeadersFrame) bool {
	size := uint32(0)
	for i := range f.Fields {
		size += f.Fields[i].Size()
	}
	return f.Truncated || size > uint32(c.limits.header)
}

// next reads one frame. What is wrong with a stream ends that stream only.
func (c *conn) next() error {
	c.meter.left = max(4*c.limits.header, 4*frameSize)
	f, err := c.framer.ReadFrame()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.midFrame = false
	if err == nil {
		err = c.process(f)
	}
	var fault http2.StreamError
	if errors.As(err, &fault) {
		err = c.refuse(fault)
	}
	if errors.Is(err, http2.ErrFrameTooLarge) {
		err = http2.ConnectionError(http2.ErrCodeFrameSize)
	}
	c.kick()
	return err
}

// refuse resets a stream for its peer's fault. Faults are counted like resets: to provoke them is as good an attack
// (CVE-2025-8671).
func (c *conn) refuse(fault http2.StreamError) error {
	if s := c.streams[fault.StreamID]; s != nil {
		s.reset(fault.Code, fault)
	} else {
		c.sendReset(fault.StreamID, fault.Code)
	}
	return c.calm.reset()
}

// part ends the connection: with a GOAWAY if the peer broke the protocol.
func (c *conn) part(err error) {
	var fault http2.ConnectionError
	if errors.As(err, &fault) {
		c.mu.Lock()
		c.renewed = time.Now()
		_ = c.SetWriteDeadline(c.renewed.Add(lastWord))
		_ = c.write.WriteGoAway(c.highest, http2.ErrCode(fault), nil)
		for c.writing {
			c.written.Wait()
		}
		c.flush()
		c.mu.Unlock()
	}
	c.over(err)
	if errors.Is(err, errLeft) || fault != 0 {
		c.hangUp()
	}
	c.Conn.Close()
}

const lastWord = time.Second

// hangUp closes our half and waits for the peer's: a close with unread bytes would be a reset, and the peer might not see
// what came before it.
func (c *conn) hangUp() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(lastWord))
	_, _ = io.CopyN(io.Discard, c.reader, 1<<20)
}

// over ends every stream. The first cause counts. That the connection has ended well is no good end for a stream: it has one
// of its own.
func (c *conn) over(cause error) {
	if cause == io.EOF {
		cause = io.ErrUnexpectedEOF
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended(cause)
}

// ended is over with the mutex held.
func (c *conn) ended(cause error) {
	if c.cause == nil {
		c.cause, c.wasBusy = cause, len(c.streams) > 0
	}
	for _, s := range c.streams {
		s.drop(c.cause)
	}
}
