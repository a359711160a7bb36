package l7

import (
	"net"
	"net/http"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/fairlead/fairlead/l7/fields"
)

// http3Answer is the Answer on a stream of the library's.
type http3Answer struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	body    *http3Body    // of the request; nil: none
	stall   time.Duration // how long the visitor may take nothing
	until   time.Time     // the deadline of writes, as it was set last
	aborted bool
}

func (a *http3Answer) Interim(status int, h fields.List) error {
	own := a.w.Header()
	owned(h).To(own)
	a.w.WriteHeader(status)
	clear(own)
	return a.r.Context().Err()
}

func (a *http3Answer) Start(status int, h fields.List, _ int64) error {
	own := a.w.Header()
	owned(h).To(own)
	if _, ok := own["Content-Type"]; !ok {
		own["Content-Type"] = nil // one would be guessed otherwise
	}
	if a.body != nil {
		a.body.reply()
	}
	a.progress()
	a.w.WriteHeader(status)
	return a.r.Context().Err()
}

// progress gives the visitor time again to take something. A deadline that is set and near enough stays.
func (a *http3Answer) progress() {
	if at := time.Now().Add(a.stall); at.Sub(a.until) > a.stall/16 {
		a.until = at
		_ = a.control.SetWriteDeadline(at)
	}
}

// owned leaves out what speaks of a connection (RFC 9114 section 4.2), and copies what is only lent.
func owned(h fields.List) fields.List {
	h.DelFunc(func(f fields.Field) bool { return f.Is("Connection") || f.Is("Upgrade") })
	return h.Clone()
}

func (a *http3Answer) Write(p []byte) (int, error) {
	a.progress()
	return a.w.Write(p)
}

func (a *http3Answer) Flush() error {
	a.progress()
	return a.control.Flush()
}

func (a *http3Answer) Finish(trailer fields.List) {
	for _, f := range trailer.Clone() {
		a.w.Header().Add(http.TrailerPrefix+f.Name, f.Value)
	}
}

func (a *http3Answer) Abort() { a.aborted = true }

func (a *http3Answer) StopReading() {
	if a.body != nil {
		a.body.stop()
	}
}

// Upgrade accepts an extended CONNECT (RFC 9220).
func (a *http3Answer) Upgrade(h fields.List) (net.Conn, []byte, error) {
	h.Del("Sec-WebSocket-Accept")
	if err := a.Start(http.StatusOK, h, -1); err != nil {
		return nil, nil, err
	}
	stream, err := a.w.(http3.HTTPStreamer).HTTPStream()
	if err != nil {
		return nil, nil, err
	}
	_ = a.control.SetWriteDeadline(time.Time{}) // the relay has its own
	return &http3Tunnel{Stream: stream, r: a.r}, nil, nil
}
