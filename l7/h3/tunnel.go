package h3

import (
	"net"
	"time"
)

// Tunnel is a stream as a connection (RFC 9220): what is written leaves at once.
type Tunnel struct {
	*Stream
}

var _ net.Conn = Tunnel{}

// Tunnel makes a connection of the stream. Neither side has to hurry.
func (s *Stream) Tunnel() net.Conn {
	s.Patient()
	s.stall = 0
	_ = s.quic.SetWriteDeadline(time.Time{})
	return Tunnel{s}
}

// Write sends all of p now.
func (t Tunnel) Write(p []byte) (int, error) {
	n, err := t.Stream.Write(p)
	if err != nil {
		return n, err
	}
	return n, t.Flush()
}

// Close ends the stream: with a reset unless our half was ended.
func (t Tunnel) Close() error {
	t.quic.CancelRead(requestCanceled)
	if !t.closed {
		t.quic.CancelWrite(requestCanceled)
	}
	return nil
}

// LocalAddr of the connection below.
func (t Tunnel) LocalAddr() net.Addr { return t.conn.LocalAddr() }

// RemoteAddr of the connection below.
func (t Tunnel) RemoteAddr() net.Addr { return t.conn.RemoteAddr() }

// SetDeadline is of reads and writes.
func (t Tunnel) SetDeadline(at time.Time) error { return t.quic.SetDeadline(at) }

// SetReadDeadline is of reads.
func (t Tunnel) SetReadDeadline(at time.Time) error { return t.quic.SetReadDeadline(at) }

// SetWriteDeadline is of writes.
func (t Tunnel) SetWriteDeadline(at time.Time) error { return t.quic.SetWriteDeadline(at) }
