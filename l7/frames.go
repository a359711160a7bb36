package l7

import (
	"bytes"

	"github.com/gobwas/ws"
)

// frames follows a stream of WebSocket frames by their headers. Payload is counted, not looked at.
type frames struct {
	header  []byte // of the frame that has begun, as far as it came
	payload int64  // still to come of the frame
	closed  bool   // a close frame went by
	broken  bool   // this is no WebSocket: there are no boundaries any more
}

// between says whether the next byte begins a frame.
func (f *frames) between() bool { return !f.broken && len(f.header) == 0 && f.payload == 0 }

// inside says whether a frame has begun and not ended.
func (f *frames) inside() bool { return !f.broken && !f.between() }

func (f *frames) follow(p []byte) {
	for len(p) > 0 && !f.broken {
		if f.payload > 0 {
			n := min(f.payload, int64(len(p)))
			f.payload -= n
			p = p[n:]
			continue
		}
		f.header = append(f.header, p[0])
		p = p[1:]
		if len(f.header) >= 2 && len(f.header) == headerSize(f.header[1]) {
			f.begin()
		}
	}
}

func (f *frames) begin() {
	h, err := ws.ReadHeader(bytes.NewReader(f.header))
	f.header = f.header[:0]
	if err != nil {
		f.broken = true
		return
	}
	f.payload = h.Length
	f.closed = f.closed || h.OpCode == ws.OpClose
}

// headerSize follows from the second byte (RFC 6455 section 5.2).
func headerSize(second byte) int {
	size := 2
	switch second & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if second&0x80 != 0 {
		size += 4
	}
	return size
}
