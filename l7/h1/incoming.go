package h1

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/fairlead/fairlead/l7/fields"
)

// Incoming is a request and the way to answer it. Its strings are the memory that was read, and are used again when the
// handler has returned.
type Incoming struct {
	Method string
	Target string      // as it stands in the request line
	Host   string      // of the target, else of the field; without either, empty
	Proto  string      // "HTTP/1.1" or "HTTP/1.0"
	Header fields.List // without Host; the handler may change it
	Body   io.Reader   // nil: none
	Length int64       // of Body; -1: not known
	// Trailer returns the fields after a chunked body, complete once Body has returned io.EOF. Nil: there can be none.
	Trailer func() fields.List
	Remote  string // the peer
	TLS     *tls.ConnectionState
	Keep    any // the handler's own, kept for other requests; one at a time has it

	conn    *inbound
	head    requestHead
	body    intake
	trailer func() fields.List // body's

	buf    []byte // what was read
	filled int
	at     int // where in it begins what nobody has taken yet

	out      []byte // what is to be written
	pieces   [3][]byte
	vector   net.Buffers // of them
	ending   ending
	left     int64 // of an answer of known length
	hasBody  bool
	started  bool
	closing  bool // the connection ends after the answer
	finished bool
	failed   bool // the visitor cannot be written to, or must not take this for complete
	handed   bool // upgraded

	mu     sync.Mutex // keeps a 100 of ours apart from an answer; guards the field below
	expect bool       // the visitor waits with his body
}

const (
	headRoom  = 4 << 10
	fieldRoom = 48       // of them some for what the handler adds
	mostRoom  = 64 << 10 // kept for another request
)

// borrow makes ready for a request on c.
func (s *Server) borrow(c *inbound) *Incoming {
	in, _ := s.spare.Get().(*Incoming)
	if in == nil {
		in = &Incoming{buf: make([]byte, headRoom), out: make([]byte, 0, headRoom)}
		in.head.fields = make(fields.List, 0, fieldRoom)
		in.body.in, in.trailer = in, in.body.trailer
	}
	in.conn = c
	return in
}

func (s *Server) giveBack(in *Incoming) {
	if cap(in.buf) > mostRoom || cap(in.out) > mostRoom {
		return
	}
	in.conn = nil
	in.filled, in.at = 0, 0
	in.head.reset()
	s.spare.Put(in)
}

// grow makes room for more of a head. Its parsed part was moved and has to be parsed again.
func (in *Incoming) grow() {
	if in.filled < len(in.buf) {
		return
	}
	in.buf = append(in.buf, make([]byte, len(in.buf))...)
	in.head.reset()
}

// begin turns a head of n bytes into a request.
func (in *Incoming) begin(n int) {
	h := &in.head
	in.at = n
	in.Method, in.Target, in.Host, in.Header, in.Length = h.method, h.target, h.host, h.fields, h.length
	if in.Proto = "HTTP/1.1"; h.minor == 0 {
		in.Proto = "HTTP/1.0"
	}
	in.ready(h.persist, h.length != 0)
}

// refused is a request that is none: whatever was understood of it counts for nothing.
func (in *Incoming) refused() {
	in.Method, in.Target, in.Host, in.Header, in.Length, in.Proto = "", "", "", nil, 0, "HTTP/1.1"
	in.head.method, in.head.minor, in.head.expects = "", 1, false
	in.ready(false, false)
}

func (in *Incoming) ready(persist, hasBody bool) {
	in.Remote, in.TLS = in.conn.remote, in.conn.tls
	in.started, in.finished, in.failed, in.handed = false, false, false, false
	in.closing = !persist
	in.out = in.out[:0]
	in.expect = in.head.expects
	in.hasBody = hasBody
	in.Body, in.Trailer = nil, nil
	if in.body.done.Store(!hasBody); !hasBody {
		return
	}
	in.body.begin(in.head.length)
	in.Body = &in.body
	if in.head.length < 0 {
		in.body.announce(in.Header)
		in.Trailer = in.trailer
	}
}

// next moves what came after the request to the beginning of the buffer, and returns how much it is.
func (in *Incoming) next() int {
	in.filled = copy(in.buf, in.buf[in.at:in.filled])
	in.at = 0
	in.head.reset()
	return in.filled
}

// LocalAddr is our end of the connection.
func (in *Incoming) LocalAddr() net.Addr { return in.conn.conn.LocalAddr() }

// StopReading makes a Read of Body return, now and from then on.
func (in *Incoming) StopReading() { in.body.stop() }

// Upgrade answers 101 and hands the connection over, with what the visitor has sent on it already. There is no Finish.
func (in *Incoming) Upgrade(h fields.List) (conn net.Conn, early []byte, err error) {
	c := in.conn
	if in.out = appendInterim(in.out[:0], http.StatusSwitchingProtocols, h); in.flush() != nil {
		return nil, nil, errLeft
	}
	in.handed = true
	c.unwatch()
	c.server.exit(c)
	_ = c.conn.SetDeadline(noDeadline)
	early = append(early, in.buf[in.at:in.filled]...)
	in.out = nil // an upgrade lives long
	return c.conn, early, nil
}
