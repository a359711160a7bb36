package l7

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/compress"
	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
)

var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// bringBack relays a response. An error means that the visitor has seen nothing of it yet.
func (s *story) bringBack(ctx context.Context, lease pool.Lease, response *h1.Response) error {
	header := s.returned(lease, response.Header)
	if s.protocols != "" {
		part(&header)
	}
	down := download{reply: &s.reply, from: response, streams: streams(response)}
	length := response.ContentLength
	if down.encoder = s.compresses(response, &header); down.encoder != nil {
		defer down.encoder.Drop()
		h1.MayBlockAlways(ctx) // it takes long
		length = -1
	}
	buffer := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buffer)

	if !down.streams {
		// Its header need not leave before its first bytes: until then there can be an honest answer (case B097).
		if down.read(buffer[:]); down.failed() && len(down.part) == 0 {
			return s.cut(ctx, down.err)
		}
	}
	if err := s.reply.start(response.Status, header, length); err != nil {
		return errGone
	}
	err := down.run(buffer[:])
	if err == nil {
		s.reply.to.Finish(trailer(response))
		return nil
	}
	s.reply.abort() // after the header only a broken stream is honest
	if !errors.Is(err, errGone) && !errors.Is(err, h1.ErrRequestBody) && ctx.Err() == nil {
		s.lateReport(lease, err)
	}
	return nil
}

// returned is the header for the visitor.
func (s *story) returned(lease pool.Lease, h fields.List) fields.List {
	stripHops(&h, "Trailer")
	s.route.app.toVisitor.apply(&h, s)
	s.insist(&h)
	s.advertise(&h)
	s.dress(&h)
	s.bind(lease, &h)
	return h
}

// bind gives the visitor a cookie if the session that he has now is not the one of his cookie.
func (s *story) bind(lease pool.Lease, h *fields.List) {
	if lease.Session == nil || s.isBound && s.binding == bindingOf(lease) {
		return
	}
	h.Add("Set-Cookie", s.front.key.stickyCookie(s.route, bindingOf(lease), s.outside.scheme))
}

// streams says whether the visitor waits for each piece: everything leaves at once (case B094).
func streams(r *h1.Response) bool {
	if r.ContentLength < 0 || r.Header.Get("X-Accel-Buffering") == "no" {
		return true
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// trailer is what the visitor gets behind the response's body.
func trailer(r *h1.Response) fields.List {
	t := r.Trailer()
	stripHops(&t, "")
	t.DelFunc(framed)
	return t
}

// cut is the error of a response that ended before the visitor saw any of it.
func (s *story) cut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errGone
	}
	s.lost = &h1.Error{Phase: h1.Reading, Sent: true, Responded: true, Err: fmt.Errorf("read the body: %w", err)}
	s.front.metrics.failures.WithLabelValues(s.route.app.name, phase(s.lost)).Inc()
	return s.lost
}

// lateBound is how long a report may take that nobody waits for.
const lateBound = 30 * time.Second

// lateReport tells of a replica that was lost in the middle of a response. The visitor does not wait for the look.
func (s *story) lateReport(lease pool.Lease, err error) {
	s.front.metrics.failures.WithLabelValues(s.route.app.name, "body").Inc()
	if s.front.stories.Begin() {
		go s.front.reportLate(lease, err)
	}
}

func (f *Front) reportLate(lease pool.Lease, err error) {
	defer f.stories.End()
	ctx, cancel := context.WithTimeout(f.patience, lateBound)
	defer cancel()
	f.reporter.Failed(ctx, lease, err)
}

// download copies one body.
type download struct {
	reply   *reply
	from    *h1.Response
	encoder *compress.Writer // towards the reply; nil: as it is
	streams bool
	part    []byte // that was read last
	err     error
	total   int64
}

func (d *download) read(buffer []byte) {
	d.part, d.err = d.from.Next(buffer)
	d.total += int64(len(d.part))
}

func (d *download) failed() bool { return d.err != nil && d.err != io.EOF }

// run returns nil at the body's end, errGone if the visitor is, else the app's error.
func (d *download) run(buffer []byte) error {
	if d.streams && d.reply.to.Flush() != nil { // the header
		return errGone
	}
	for {
		if len(d.part) > 0 {
			if d.write(d.part) != nil || d.mayBlock(len(buffer)) && d.flush() != nil {
				return errGone
			}
		}
		switch {
		case d.failed():
			return d.err
		case d.err == io.EOF:
			return d.close()
		}
		d.read(buffer)
	}
}

// mayBlock says whether the next read may have to wait: then what was written must not. A read that filled the buffer
// was likely followed by more, and the last one by the end.
func (d *download) mayBlock(size int) bool {
	return d.err == nil && (d.streams || len(d.part) < size && d.total < d.from.ContentLength)
}

func (d *download) write(p []byte) error {
	if d.encoder == nil {
		return d.reply.write(p)
	}
	_, err := d.encoder.Write(p)
	return err
}

func (d *download) flush() error {
	if d.encoder != nil {
		if err := d.encoder.Flush(); err != nil {
			return err
		}
	}
	return d.reply.to.Flush()
}

// close ends a body that came whole.
func (d *download) close() error {
	if d.encoder != nil && d.encoder.Close() != nil {
		return errGone
	}
	return nil
}
