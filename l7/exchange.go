package l7

import (
	"crypto/tls"
	"io"
	"net"

	"github.com/fairlead/fairlead/l7/fields"
)

// Exchange is one request as a front end read it, and the way to answer it. The story owns it until Front.Tell
// returns, and changes nothing in it but the Header.
//
// Strings of an Exchange (method, target, host, header) may point into the connection's buffer and are valid until Tell
// returns: what outlives it is cloned. The trailer's are valid as long, and those of what the Answer is given until its
// method returns.
type Exchange struct {
	Method string
	Target string // the bytes of the request line; of HTTP/2 and HTTP/3, the :path
	Host   string // Host or :authority; that of an absolute target, if there is one
	Proto  string // "HTTP/1.1", "HTTP/2.0", "HTTP/3.0"
	// Protocol that an extended CONNECT asks for (RFC 8441, RFC 9220). Such a request counts as the GET of a handshake.
	Protocol string
	Header   fields.List // in order, as it was spelt; a Host line in it is ignored
	Body     io.Reader   // nil: none. May be read from another goroutine until Tell returns
	Length   int64       // of Body; -1: not known
	// Trailer of the request: before the body's end the announced names, after it the fields. Nil: there is none.
	Trailer func() fields.List
	Remote  string // the peer of the connection; anything that is no IP address and port is a local one (case B113)
	// Local is our end of a connection with TLS; nil where nobody needs to know.
	Local net.Addr
	TLS   bool
	// Handshake of the connection; nil: there was none.
	Handshake *tls.ConnectionState
	Answer    Answer
	Outlives  bool // what Answer.Upgrade returns goes on after Tell has returned
}

// Answer is the way back to the visitor. A front end has one for each exchange; only the story calls it, from one
// goroutine. Errors mean that the visitor is gone.
type Answer interface {
	// Interim sends a 1xx other than 101. It may be called before Start, often.
	Interim(status int, h fields.List) error
	// Start sends the header, now or with the first bytes. Length -1 is not known.
	Start(status int, h fields.List, length int64) error
	// Write sends a part of the body; Flush sees to it that all of it leaves now.
	io.Writer
	Flush() error
	// Finish ends the answer well. The trailer may be nil.
	Finish(trailer fields.List)
	// Abort ends it such that nobody can take it for complete.
	Abort()
	// Upgrade sends a 101 in place of Start and hands the connection over, with what the visitor has sent on it already.
	// The story owns it from then on; there is no Finish. The connection lives until it is closed if the exchange outlives
	// Tell, and else until Tell returns.
	Upgrade(h fields.List) (conn net.Conn, early []byte, err error)
	// StopReading makes a Read of the exchange's Body return, now and from then on.
	StopReading()
}
