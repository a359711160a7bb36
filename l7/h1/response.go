package h1

import (
	"io"
	"net"

	"github.com/fairlead/fairlead/l7/fields"
)

// Response of an app. Body must be closed, also after a 101 that is not hijacked, and once: then the Response is over, and
// its memory may serve another one.
type Response struct {
	Status int
	Reason string // as sent; may be empty
	// Header as the app spelt and ordered it. Transfer-Encoding is taken out, and Content-Length has one value; all other
	// hop-by-hop fields are still there, Trailer too. The caller may change it. Its strings and Reason may point into a
	// buffer and are valid until Body is closed, and so are those of a trailer and of a 1xx until interim returns: what
	// outlives that is cloned.
	Header fields.List
	// Body is never nil. A truncated body ends in io.ErrUnexpectedEOF or the network's error, never in io.EOF. Close
	// before the end closes the connection.
	Body          io.ReadCloser
	ContentLength int64 // of Body; -1: not known

	// After, if set, is Trailer's answer: of a response that another client than this one has brought.
	After func() fields.List

	body *body
}

// Trailer holds what came after a chunked body, announced or not. It is complete once Body has returned io.EOF.
func (r *Response) Trailer() fields.List {
	if r.After != nil {
		return r.After()
	}
	if r.body.chunks == nil {
		return nil
	}
	return r.body.chunks.trailer
}

// Next returns the next part of the Body like a Read, in p or where it has been read to; then it is valid until the next
// call.
func (r *Response) Next(p []byte) ([]byte, error) {
	if r.body != nil {
		if part, err := r.body.take(); len(part) > 0 || err != nil {
			return part, err
		}
	}
	n, err := r.Body.Read(p)
	return p[:n], err
}

// Hijack hands over the connection of a 101, and what the app has sent on it already. The caller owns it and must close
// it; it is still closed when the target ends, unless it is detached. The context of Do no longer matters. Nil unless Status is
// 101.
func (r *Response) Hijack() (conn net.Conn, early []byte) {
	if r.body == nil {
		return nil, nil
	}
	return r.body.hijack()
}
