package h3

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/fairlead/fairlead/l7/h2"
)

// A write that its deadline interrupts leaves half a frame behind: what is written next goes on with it.
func TestTunnelsGoOnInsideAFrame(t *testing.T) {
	whole := make([]byte, 3<<20) // more than the client takes unread
	for i := range whole {
		whole[i] = byte(i * i >> 7)
	}
	interrupted, proceed, wrote := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		_ = s.Header(200, nil, false)
		conn := s.Tunnel()
		_ = conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := conn.Write(whole)
		if !errors.Is(err, errDeadline) || n == 0 || n == len(whole) {
			t.Errorf("wrote %d, %v", n, err)
		}
		close(interrupted)
		<-proceed
		_ = conn.SetWriteDeadline(time.Time{})
		_, err = conn.Write(whole[n:])
		_ = s.CloseWrite()
		wrote <- err
	}})
	stream := p.asks(false, headers(":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":authority", "hello", ":path", "/"))
	<-interrupted
	close(proceed)
	r := p.reply(stream)
	if err := <-wrote; err != nil || !bytes.Equal(r.body, whole) {
		t.Errorf("got %d bytes of %d, %v", len(r.body), len(whole), err)
	}
}
