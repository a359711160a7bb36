package h2

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// script writes frames as bytes say, four for each: the type, flags, the stream and how many bytes of payload follow. A
// HEADERS frame with an odd length begins with a block that is a request.
type script struct {
	to    io.Writer
	peer  *peer
	ended map[uint32]bool // streams whose end was said
}

func (w *script) play(b []byte) {
	for len(b) >= 4 {
		kind, flags, id, size := b[0]%11, b[1], uint32(b[2]%16), int(b[3]%64)
		b = b[4:]
		payload := b[:min(size, len(b))]
		b = b[len(payload):]
		if kind == byte(http2.FrameHeaders) && size%2 == 1 {
			payload, flags = w.peer.header("POST"), flags&0x1|0x4
		}
		if kind <= byte(http2.FrameHeaders) && flags&0x1 != 0 {
			w.ended[id] = true
		}
		frame := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
		frame = binary.BigEndian.AppendUint32(append(frame, flags), id)
		if _, err := w.to.Write(append(frame, payload...)); err != nil {
			return
		}
	}
}

// Whatever a client sends, serving it ends with its connection, and a body ends well only where its end was said.
func FuzzServer(f *testing.F) {
	headers, data := byte(http2.FrameHeaders), byte(http2.FrameData)
	f.Add([]byte{4, 0, 0, 0, headers, 4, 1, 1, data, 0, 1, 2, 'a', 'b', data, 1, 1, 1, 'c'})
	f.Add([]byte{4, 0, 0, 0, headers, 5, 1, 1, headers, 4, 3, 1, 3, 0, 3, 4, 0, 0, 0, 8})
	f.Add([]byte{4, 0, 0, 0, headers, 4, 1, 1, 8, 0, 1, 4, 0, 0, 1, 0, 9, 4, 1, 0, headers, 5, 1, 0})
	f.Add([]byte{4, 0, 0, 6, 0, 4, 0, 0, 0, 0, headers, 4, 5, 1, data, 8, 5, 3, 1, 'a', 0, 7, 0, 0, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		var mu sync.Mutex
		whole := map[uint32]bool{}
		server := &Server{Handler: func(s *Stream, _ *Request) {
			_ = s.Header(200, nil, false)
			if _, err := io.Copy(s, s); err == nil {
				mu.Lock()
				whole[s.id] = true
				mu.Unlock()
			}
			_ = s.CloseWrite()
		}, TooLarge: func(*Stream, *Request) {}}
		ours, theirs := net.Pipe()
		over := make(chan struct{})
		go func() {
			server.Serve(theirs)
			close(over)
		}()
		go func() { _, _ = io.Copy(io.Discard, ours) }()
		_ = ours.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(ours, http2.ClientPreface)
		w := script{to: ours, peer: newPeer(t, ours), ended: map[uint32]bool{}}
		w.play(b)
		ours.Close()
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Fatal("it is served on and on")
		}
		for id := range whole {
			if !w.ended[id] {
				t.Errorf("stream %d ended well", id)
			}
		}
	})
}
