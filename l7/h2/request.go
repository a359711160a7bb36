package h2

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// Request is what a stream asks for, as it came. HTTP/3's are the same.
type Request struct {
	Method    string
	Scheme    string
	Authority string // of Host if there is no :authority
	Path      string // the bytes of :path
	Protocol  string // of an extended CONNECT (RFC 8441)
	Fields    fields.List
	Length    int64 // of the body; 0: there is none, -1: not known
}

// headers begins a stream, or ends one with its trailer.
func (d *door) headers(f *http2.MetaHeadersFrame) error {
	c := d.conn
	if s := c.streams[f.StreamID]; s != nil {
		return s.trailers(f)
	}
	switch {
	case f.StreamID%2 == 0:
		return http2.ConnectionError(http2.ErrCodeProtocol)
	case f.StreamID <= c.highest && c.dropped.has(f.StreamID):
		return nil // a trailer that was under way
	case f.StreamID <= c.highest:
		return http2.ConnectionError(http2.ErrCodeStreamClosed) // RFC 9113 section 5.1
	case c.finishing:
		return nil // it knows that we did not take it
	}
	c.highest = f.StreamID
	if f.HasPriority() && f.Priority.StreamDep == f.StreamID {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
	}
	if d.busy >= d.server.maxStreams() {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeRefusedStream}
	}
	r, err := requestOf(f)
	tooLarge := c.exceeds(f)
	if err != nil && !tooLarge {
		return err
	}
	d.begin(f, r, tooLarge)
	return nil
}

// begin lets the handler run.
func (d *door) begin(f *http2.MetaHeadersFrame, r *Request, tooLarge bool) {
	s := d.conn.newStream(d.ctx, f.StreamID)
	s.declared = r.Length
	s.inEnded = f.StreamEnded()
	d.busy++
	d.handlers.Add(1)
	go d.handle(s, r, tooLarge)
}

// handle is a stream's goroutine.
func (d *door) handle(s *Stream, r *Request, tooLarge bool) {
	defer d.handlers.Done()
	defer d.done(s)
	if tooLarge {
		d.server.TooLarge(s, r)
		return
	}
	d.server.Handler(s, r)
}

// done ends what the handler has left open. A request's rest that nobody wants is no error once the answer is complete
// (RFC 9113 section 8.1).
func (d *door) done(s *Stream) {
	c := d.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	d.busy--
	code := http2.ErrCodeInternal
	if s.outEnded {
		code = http2.ErrCodeNo
	}
	s.reset(code, errFinished)
	c.giveBack(s.body.discard())
	c.flush()
	s.stop(errFinished)
}

// trailers ends the request's body.
func (s *Stream) trailers(f *http2.MetaHeadersFrame) error {
	switch {
	case s.inEnded:
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeStreamClosed}
	case !f.StreamEnded(), len(f.PseudoFields()) > 0, s.declared > 0, s.conn.exceeds(f), forbidden(f.RegularFields()):
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeProtocol}
	}
	s.trailer = listOf(f.RegularFields())
	s.endIn()
	return nil
}

// requestOf checks what the framer cannot (RFC 9113 section 8.3.1).
func requestOf(f *http2.MetaHeadersFrame) (*Request, error) {
	r := &Request{
		Method: f.PseudoValue("method"), Scheme: f.PseudoValue("scheme"), Authority: f.PseudoValue("authority"),
		Path: f.PseudoValue("path"), Protocol: f.PseudoValue("protocol"),
		Fields: listOf(f.RegularFields()), Length: -1,
	}
	if f.StreamEnded() {
		r.Length = 0
	}
	if isAnswer(f) || forbidden(f.RegularFields()) || !r.Check(f.StreamEnded()) {
		return r, http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
	}
	return r, nil
}

func isAnswer(f *http2.MetaHeadersFrame) bool {
	return slices.ContainsFunc(f.PseudoFields(), func(field hpack.HeaderField) bool { return field.Name == ":status" })
}

// Check says whether the parts of a request go together, and completes its host and its length; ended says that no body
// follows. Each field by itself was checked before.
func (r *Request) Check(ended bool) bool { return r.pseudo() && r.host() && r.length(ended) }

func (r *Request) pseudo() bool {
	if r.Method == http.MethodConnect && r.Protocol == "" {
		return r.Scheme == "" && r.Path == "" && r.Authority != ""
	}
	if r.Protocol != "" && r.Method != http.MethodConnect {
		return false
	}
	return r.Method != "" && r.Scheme != "" && r.Path != ""
}

// host takes Host for a missing :authority, and refuses two opinions and what is no host, such as names of users.
func (r *Request) host() bool {
	for _, field := range r.Fields {
		if field.Name != "host" {
			continue
		}
		if r.Authority != "" && !strings.EqualFold(r.Authority, field.Value) {
			return false
		}
		r.Authority = field.Value
	}
	return r.Authority == "" || h1.IsAuthority(r.Authority) // RFC 9113 section 8.3.1
}

// length reads content-length, which must be one number.
func (r *Request) length(ended bool) bool {
	seen := false
	for _, field := range r.Fields {
		if field.Name != "content-length" {
			continue
		}
		n, err := strconv.ParseUint(field.Value, 10, 63)
		if err != nil || seen || ended && n > 0 {
			return false
		}
		seen, r.Length = true, int64(n)
	}
	return true
}
