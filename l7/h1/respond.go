package h1

import (
	"fmt"
	"io"
)

// respond turns the final header into a Response, whose body is still to come.
func (d *call) respond(h *head) (*Response, error) {
	f, err := frame(d.request.Method, h)
	if err != nil {
		return nil, err
	}
	if d.upload != nil && d.request.Expect {
		d.upload.refuse() // the app has answered without wanting the body (case B107)
	}
	for member := range h.header.Members("Keep-Alive") {
		d.conn.learn(member)
	}
	b := &d.body
	b.call, b.keep = d, d.reusable(h, f)
	d.response = Response{Status: h.status, Reason: h.reason, Header: h.header, Body: b, ContentLength: f.length, body: b}
	switch {
	case f.chunked:
		d.chunks.begin(&d.inflow, d.client.maxHeader())
		b.source, b.chunks = &d.chunks, &d.chunks
	case f.length > 0:
		d.measured = measured{&d.inflow, f.length}
		b.source = &d.measured
	case f.length < 0:
		b.source = &d.inflow // up to the end of the connection
	default:
		b.err = io.EOF
		b.finish()
	}
	return &d.response, nil
}

// switched accepts a 101 only for what was asked; what follows it would be read in the wrong protocol (case B077).
func (d *call) switched(h *head) (*Response, error) {
	got := h.header.Joined("Upgrade")
	switch {
	case !d.request.Upgrade:
		return nil, fmt.Errorf("%w: to %.40q, unasked", ErrUpgrade, got)
	case !h.header.HasMember("Connection", "Upgrade"):
		return nil, fmt.Errorf("%w: 101 without Connection: Upgrade", ErrUpgrade)
	case got == "" || !d.request.Header.HasMember("Upgrade", got):
		return nil, fmt.Errorf("%w: to %.40q", ErrUpgrade, got)
	}
	d.body.call, d.body.err = d, io.EOF
	d.response = Response{Status: h.status, Reason: h.reason, Header: h.header, Body: &d.body, body: &d.body}
	return &d.response, nil
}

// reusable says whether the connection can serve another request. One that denied an upgrade cannot: the app's library
// may have taken it out of its server for the handshake, and then nobody reads from it any more (gobwas/ws does so).
func (d *call) reusable(h *head, f framing) bool {
	return persistent(h) && !d.request.Upgrade && (f.chunked || f.length >= 0)
}
