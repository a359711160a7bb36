package h1

import (
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/relay/fiber"
)

var (
	errAnswerLength = errors.New("the answer's body is longer than its length")
	continued       = []byte("HTTP/1.1 100 Continue\r\n\r\n")
	chunkEnd        = []byte("\r\n")
)

// proceed tells a visitor who waits with his body that it is wanted, if nobody has.
func (in *Incoming) proceed() error {
	if !in.head.expects {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.expect {
		return nil
	}
	in.expect = false
	_, err := in.conn.conn.Write(continued)
	return err
}

// Interim sends a 1xx other than 101. HTTP/1.0 knows none (RFC 9110, section 15.2).
func (in *Incoming) Interim(status int, h fields.List) error {
	if in.head.minor == 0 {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if status == http.StatusContinue {
		in.expect = false
	}
	in.out = appendInterim(in.out[:0], status, h)
	return in.flush()
}

// Start begins the answer; length -1 is not known. Fields that frame the message or the connection follow from the other
// arguments, but for `Connection: close`, which is heeded. The head leaves with the first bytes, or with Flush.
func (in *Incoming) Start(status int, h fields.List, length int64) error {
	in.started = true
	in.body.began.Store(true)
	to := answerTo{in.head.method, in.head.minor}
	in.ending, in.left = to.ending(status, length), length
	in.closing = in.closing || in.ending == byClose || in.refusesBody(status) ||
		h.HasMember("Connection", "close") || in.conn.server.leaving.Load()
	in.out = to.appendHead(in.out[:0], status, h, in.ending, length, in.closing)
	return nil
}

// refusesBody says whether the visitor is told to stop sending: he still waits for a 100, or there is more to come of
// a body that has not pleased.
func (in *Incoming) refusesBody(status int) bool {
	if !in.hasBody || in.body.over() {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	waits := in.expect
	in.expect = false
	return waits || status >= 300
}

// Write sends a part of the body, soon.
func (in *Incoming) Write(p []byte) (int, error) {
	switch in.ending {
	case noBody:
		return len(p), nil
	case byLength:
		if int64(len(p)) > in.left {
			in.failed = true
			return 0, errAnswerLength
		}
		in.left -= int64(len(p))
	case byChunks:
		if len(p) == 0 {
			return 0, nil
		}
		in.out = appendChunk(in.out, len(p))
	}
	if err := in.put(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// put copies what is small, and sends what is large together with what waits.
func (in *Incoming) put(p []byte) error {
	end := chunkEnd
	if in.ending != byChunks {
		end = nil
	}
	switch {
	case len(in.out)+len(p)+len(end) <= cap(in.out):
		in.out = append(append(in.out, p...), end...)
		return nil
	case len(in.out) == 0:
		in.conn.hasten()
		_, err := in.conn.conn.Write(p)
		return in.wrote(err)
	}
	in.vector = in.pieces[:0]
	for _, piece := range [...][]byte{in.out, p, end} {
		if len(piece) > 0 {
			in.vector = append(in.vector, piece)
		}
	}
	in.conn.hasten()
	_, err := writeBuffers(in.conn.conn, &in.vector)
	in.pieces = [3][]byte{}
	in.out = in.out[:0]
	return in.wrote(err)
}

// writeBuffers writes several pieces with one call, where the connection can.
func writeBuffers(conn net.Conn, pieces *net.Buffers) (int64, error) {
	if strand, ok := conn.(*fiber.Conn); ok {
		return strand.WriteBuffers(pieces)
	}
	return pieces.WriteTo(conn)
}

// Flush sends what waits.
func (in *Incoming) Flush() error {
	if len(in.out) == 0 {
		return nil
	}
	return in.flush()
}

func (in *Incoming) flush() error {
	in.conn.hasten()
	_, err := in.conn.conn.Write(in.out)
	in.out = in.out[:0]
	return in.wrote(err)
}

func (in *Incoming) wrote(err error) error {
	in.failed = in.failed || err != nil
	return err
}

// Finish ends the answer. One that is shorter than its length was is aborted.
func (in *Incoming) Finish(trailer fields.List) {
	if !in.started || in.ending == byLength && in.left > 0 {
		in.Abort()
		return
	}
	if in.ending == byChunks {
		in.out = appendLastChunk(in.out, trailer)
	}
	in.finished = in.Flush() == nil
}

// Abort ends the answer such that nobody takes it for complete. What was written before still leaves.
func (in *Incoming) Abort() {
	if in.started && !in.finished {
		_ = in.Flush()
	}
	in.failed = true
}

var _ io.Writer = (*Incoming)(nil)
