package h1

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/relay/fiber"
)

// call is one Do: at most two attempts, of which one has written something. When its response has been read and closed,
// all its memory serves another one.
type call struct {
	client  *Client
	ctx     context.Context
	target  Target
	request *Request
	interim func(int, fields.List) error

	conn      *conn // of the present attempt
	gone      *Gone // the context, if the connection follows it like that
	stop      func() bool
	upload    *upload // nil before, and without a body
	phase     Phase
	sent      bool
	responded bool

	out      []byte // the request's header, and its body if that came whole
	whole    []byte // of the request's body, if it came whole
	inflow   inflow
	lines    lines
	head     head
	body     body
	measured measured
	chunks   chunks
	response Response
}

var calls = sync.Pool{New: func() any { return &call{} }}

func newCall(c *Client, ctx context.Context, t Target, r *Request, interim func(int, fields.List) error) *call {
	d := calls.Get().(*call)
	d.client, d.ctx, d.target, d.request, d.interim = c, ctx, t, r, interim
	return d
}

func (d *call) fiber() *fiber.Fiber { return fiberOf(d.ctx) }

// recycle is for calls that nobody else knows any more.
func (d *call) recycle() {
	d.client, d.ctx, d.target, d.request, d.interim = nil, nil, Target{}, nil, nil
	d.conn, d.gone, d.stop, d.upload = nil, nil, nil, nil
	d.phase, d.sent, d.responded = Dialing, false, false
	d.out, d.whole = copies(d.out).again(), nil
	d.inflow.reset(nil)
	d.lines.long = copies(d.lines.long).again()
	d.head.header, d.head.copies = emptied(d.head.header), d.head.copies.again()
	d.body.reset()
	d.measured = measured{}
	d.chunks.trailer = emptied(d.chunks.trailer)
	d.response = Response{}
	calls.Put(d)
}

func emptied(l fields.List) fields.List {
	clear(l[:cap(l)])
	return l[:0]
}

// run is the story of a request.
func (d *call) run() (*Response, error) {
	if err := d.request.check(); err != nil {
		return nil, err
	}
	if d.ctx.Err() != nil {
		return nil, context.Cause(d.ctx)
	}
	kept, err := d.client.connections(d.target)
	if err != nil {
		return nil, err
	}
	if c := d.takeKept(kept); c != nil {
		response, err := d.exchange(c)
		if err == nil || !d.again(err) {
			return response, err
		}
	}
	d.phase = Dialing
	c, err := kept.dial(d.ctx, d.target)
	if err != nil {
		return nil, err
	}
	return d.exchange(c)
}

func (d *call) takeKept(from *target) *conn {
	if d.request.Fresh {
		return nil
	}
	return from.take(d.fiber(), d.request)
}

// again says whether a failure on a kept connection is repeated on a new one: the app had closed it meanwhile, and took
// nothing of the request. After a byte of it was written that is the caller's to decide (P4).
func (d *call) again(err error) bool {
	return !d.sent && errors.Is(err, ErrNoResponse) && d.ctx.Err() == nil && !d.target.over()
}

// exchange makes one attempt. After an error the connection is closed.
func (d *call) exchange(c *conn) (*Response, error) {
	d.conn = c
	d.follow()
	d.inflow.reset(c)
	response, err := d.converse()
	if err != nil {
		d.unfollow()
		c.kill(err)
	}
	return response, err
}

func (d *call) converse() (*Response, error) {
	begin := d.send
	if d.conn.asks(d.request) {
		begin = d.ask
	}
	if err := begin(); err != nil {
		return nil, err
	}
	if err := d.receive(); err != nil {
		return nil, err
	}
	if d.head.status == http.StatusSwitchingProtocols {
		return d.switched(&d.head)
	}
	return d.respond(&d.head)
}

// send writes the header and lets the body follow by itself.
func (d *call) send() error {
	d.phase = Writing
	d.out = d.request.appendHead(d.out[:0], d.client.idleTimeout() < 0)
	d.out = append(d.out, d.wholeBody()...)
	n, err := d.conn.Write(d.out)
	d.sent = n > 0
	if n == 0 && err != nil {
		return silence(err)
	}
	if err == nil && d.request.hasBody() && d.whole == nil {
		d.upload = newUpload(d.conn, d.request, d.client.expectTimeout())
		go d.upload.run()
	}
	// A header that was taken in part may have an answer already, such as 431: that is read.
	return nil
}

// wholeBody takes the body if all of it is there: it needs nobody who sends it.
func (d *call) wholeBody() []byte {
	body, ok := d.request.Body.(interface{ Whole() []byte })
	if !ok || d.whole != nil || d.request.Expect || !d.request.hasBody() {
		return d.whole
	}
	if d.whole = body.Whole(); d.whole != nil && d.request.Released != nil {
		d.request.Released()
	}
	return d.whole
}

// receive reads headers up to the final one.
func (d *call) receive() error {
	d.phase = Reading
	if len(d.inflow.rest()) == 0 {
		if err := d.inflow.fill(); err != nil {
			return silence(err)
		}
	}
	d.responded = true
	d.lines.reader, d.lines.left = &d.inflow, d.client.maxHeader()
	for {
		if err := d.head.read(&d.lines); err != nil {
			return err
		}
		if d.head.status >= 200 || d.head.status == http.StatusSwitchingProtocols {
			return nil
		}
		if err := d.relay(&d.head); err != nil {
			return err
		}
	}
}

// readAhead empties the reader. What was in it belongs to no response.
func (d *call) readAhead() (early []byte) {
	early = append(early, d.inflow.rest()...)
	d.inflow.reset(nil)
	return early
}

// relay hands on a 1xx, and lets a body go that waits for 100. A 100 that comes later answers nothing any more (case
// B107).
func (d *call) relay(h *head) error {
	proceed := h.status == http.StatusContinue && d.upload != nil
	if proceed && d.request.Expect && !d.upload.waits() {
		return nil
	}
	if d.interim != nil {
		if err := d.interim(h.status, h.header); err != nil {
			return err
		}
	}
	if proceed {
		d.upload.tell(true)
	}
	return nil
}

// silence marks the app's end of a connection on which it said nothing.
func silence(err error) error {
	if noResponse(err) {
		return fmt.Errorf("%w: %w", ErrNoResponse, err)
	}
	return err
}

// abandon leaves the body alone.
func (d *call) abandon() {
	switch {
	case d.upload != nil:
		d.upload.refuse()
	case d.request.Body != nil && d.request.Released != nil && d.whole == nil:
		d.request.Released()
	}
}

func (d *call) failure(err error) *Error {
	e := &Error{
		Phase: d.phase, Sent: d.sent, Responded: d.responded,
		Published: !d.target.Direct, Err: err,
	}
	e.BodyRead = d.whole != nil || d.upload != nil && d.upload.refuse()
	if d.conn != nil {
		e.Reused = d.conn.reused
	}
	if errors.Is(err, ErrRequest) || errors.Is(err, ErrRequestBody) {
		e.Phase = Writing
	}
	return e
}
