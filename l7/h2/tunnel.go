package h2

import (
	"net"
	"os"
	"time"

	"golang.org/x/net/http2"
)

var errDeadline = os.ErrDeadlineExceeded

// Tunnel is a stream as a connection (RFC 8441): what is written leaves at once.
type Tunnel struct {
	*Stream
}

var _ net.Conn = Tunnel{}

// Tunnel makes a connection of the stream. Neither side has to hurry.
func (s *Stream) Tunnel() net.Conn {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.pace.stop()
	s.pace = pace{}
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

// Close ends the stream: with a reset unless both sides have ended it.
func (t Tunnel) Close() error {
	t.Reset(http2.ErrCodeCancel)
	return nil
}

// LocalAddr of the connection below.
func (t Tunnel) LocalAddr() net.Addr { return t.conn.LocalAddr() }

// RemoteAddr of the connection below.
func (t Tunnel) RemoteAddr() net.Addr { return t.conn.RemoteAddr() }

// SetDeadline is of reads and writes.
func (t Tunnel) SetDeadline(at time.Time) error {
	t.setDeadline(at, &t.readBy, &t.writeBy)
	return nil
}

// SetReadDeadline is of reads.
func (t Tunnel) SetReadDeadline(at time.Time) error {
	t.setDeadline(at, &t.readBy)
	return nil
}

// SetWriteDeadline is of writes.
func (t Tunnel) SetWriteDeadline(at time.Time) error {
	t.setDeadline(at, &t.writeBy)
	return nil
}

// deadline of one direction.
type deadline struct {
	passed bool
	timer  *time.Timer
}

func (s *Stream) setDeadline(at time.Time, of ...*deadline) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range of {
		s.arm(d, at)
	}
	s.changed.Broadcast()
}

func (s *Stream) arm(d *deadline, at time.Time) {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	left := time.Until(at)
	if d.passed = !at.IsZero() && left <= 0; d.passed || at.IsZero() {
		return
	}
	var mine *time.Timer
	mine = time.AfterFunc(left, func() {
		s.conn.mu.Lock()
		defer s.conn.mu.Unlock()
		if d.timer == mine { // no other was set meanwhile
			d.passed = true
			s.changed.Broadcast()
		}
	})
	d.timer = mine
}
