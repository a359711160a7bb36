package l7

import (
	"net"
	"net/http"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// http3Tunnel is a stream as a connection.
type http3Tunnel struct {
	*http3.Stream
	r     *http.Request
	ended bool // our half, by whoever writes
}

var _ net.Conn = (*http3Tunnel)(nil)

// CloseWrite ends our half well.
func (t *http3Tunnel) CloseWrite() error {
	t.ended = true
	return t.Stream.Close()
}

// Close ends the stream: with a reset unless our half was ended.
func (t *http3Tunnel) Close() error {
	t.CancelRead(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
	if !t.ended {
		t.CancelWrite(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
	}
	return nil
}

func (t *http3Tunnel) LocalAddr() net.Addr {
	addr, _ := t.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return addr
}

func (t *http3Tunnel) RemoteAddr() net.Addr {
	addr, _ := t.r.Context().Value(http3.RemoteAddrContextKey).(net.Addr)
	return addr
}
