package h2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// errUnseen: the app has told that it did not look at the request.
var errUnseen = errors.New("the app did not take the request")

// call is one attempt.
type call struct {
	client  *Client
	ctx     context.Context
	target  h1.Target
	request *h1.Request
	interim func(int, fields.List) error

	stream    *Stream
	stop      func() bool
	upload    *upload // nil before, and without a body
	responded bool
	unseen    bool
}

func (d *call) run() (*h1.Response, error) {
	kept, err := d.client.connections(d.target)
	if err != nil {
		return nil, err
	}
	if d.stream, err = kept.open(d.ctx, d.begin); err != nil {
		return nil, err
	}
	s := d.stream
	d.stop = context.AfterFunc(d.ctx, func() { s.cancel(context.Cause(d.ctx)) })
	if d.hasBody() {
		d.upload = newUpload(s, d.request)
		go d.upload.run()
	}
	response, err := d.receive()
	if err != nil {
		d.stop()
		s.cancel(err)
		d.unseen = errors.Is(err, errUnseen)
	}
	return response, err
}

func (d *call) hasBody() bool { return d.request.Body != nil && d.request.ContentLength != 0 }

// begin sends the header on a connection; nil if it takes no more streams.
func (d *call) begin(l *line) *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause != nil || l.finishing || len(l.streams) >= int(l.peer.streams) || l.next > maxWindow {
		return nil
	}
	s := l.newStream(context.Background(), l.next)
	l.next += 2
	pseudo, header := d.header()
	l.sendHeaders(s.id, pseudo, header, !d.hasBody())
	s.outEnded, s.bodiless = !d.hasBody(), d.request.Method == http.MethodHead
	l.flush()
	return s
}

func (d *call) header() (pseudo, header fields.List) {
	r := d.request
	pseudo = fields.List{{Name: ":method", Value: r.Method}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: r.Host}, {Name: ":path", Value: r.URI}}
	for _, f := range r.Header {
		if !f.Is("Host") && !f.Is("Content-Length") && !f.Is("Trailer") && !f.Is("Expect") {
			header = append(header, f)
		}
	}
	switch {
	case r.ContentLength > 0:
		header.Add("content-length", strconv.FormatInt(r.ContentLength, 10))
	case !d.hasBody() && (r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch):
		header.Add("content-length", "0")
	}
	if r.Expect && d.hasBody() {
		header.Add("expect", "100-continue")
	}
	if d.hasBody() && r.Trailer != nil {
		for _, f := range r.Trailer() {
			header.Add("trailer", f.Name)
		}
	}
	return pseudo, header
}

// receive waits for headers up to the final one.
func (d *call) receive() (*h1.Response, error) {
	for {
		f, err := d.stream.nextHead()
		if err != nil {
			return nil, err
		}
		d.responded = true
		status := statusOf(f)
		if status >= 200 {
			return d.respond(f, status), nil
		}
		if status == http.StatusContinue && d.upload != nil {
			d.upload.tell(true)
		}
		if d.interim != nil {
			if err := d.interim(status, listOf(f.RegularFields())); err != nil {
				return nil, err
			}
		}
	}
}

func (d *call) respond(f *http2.MetaHeadersFrame, status int) *h1.Response {
	if d.upload != nil && d.request.Expect {
		d.upload.tell(false)
	}
	r := &h1.Response{Status: status, Header: listOf(f.RegularFields()), ContentLength: d.lengthOf(f, status), Body: &answerBody{call: d}}
	if status == http.StatusNoContent {
		r.Header.Del("Content-Length") // RFC 9110, section 8.6
	}
	r.After = func() fields.List {
		trailer, _ := d.stream.Trailer()
		return trailer
	}
	return r
}

// lengthOf the body that follows.
func (d *call) lengthOf(f *http2.MetaHeadersFrame, status int) int64 {
	if f.StreamEnded() || isBodiless(d.stream.bodiless, status) {
		return 0
	}
	n, _ := lengthOf(f) // it was measured
	return n
}

// answerBody is the response's.
type answerBody struct {
	call   *call
	closed atomic.Bool
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.call.stream.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read the response's body: %w", err)
	}
	return n, err
}

// Close ends the response, and the sending of the request's body.
func (b *answerBody) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		b.call.stop()
		b.call.stream.cancel(errCancelled)
	}
	return nil
}

var errCancelled = errors.New("the response was closed before its end")

// begun says whether the body was read from: then the request cannot be repeated.
func (d *call) begun() bool { return d.upload != nil && d.upload.refuse() }

// conclude says that no other attempt follows this one: its body is released as soon as nobody reads it.
func (d *call) conclude() {
	switch {
	case d.upload != nil:
		d.upload.part()
	case d.request.Body != nil && d.request.Released != nil:
		d.request.Released()
	}
}

func (d *call) failure(err error) *h1.Error {
	e := &h1.Error{Published: !d.target.Direct, Responded: d.responded, Err: err, BodyRead: d.begun()}
	if d.stream != nil {
		e.Phase, e.Sent = h1.Reading, !d.unseen
	}
	if d.upload == nil {
		return e
	}
	if cause := d.upload.failed(); cause != nil {
		e.Phase, e.Err = h1.Writing, fmt.Errorf("%w: %w", h1.ErrRequestBody, cause)
	}
	return e
}
