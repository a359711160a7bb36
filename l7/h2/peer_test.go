package h2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is the other end of a connection, which sends and reads frame by frame.
type peer struct {
	t       *testing.T
	conn    net.Conn
	framer  *http2.Framer // writes
	decoder *hpack.Decoder
	encoder *hpack.Encoder
	block   bytes.Buffer
	frames  chan http2.Frame // what came; closed at the connection's end
}

func newPeer(t *testing.T, conn net.Conn) *peer {
	p := &peer{t: t, conn: conn, framer: http2.NewFramer(conn, nil), frames: make(chan http2.Frame, 10_000)}
	p.decoder = hpack.NewDecoder(tableSize, nil)
	p.framer.AllowIllegalWrites = true
	p.encoder = hpack.NewEncoder(&p.block)
	t.Cleanup(func() { conn.Close() })
	return p
}

// listen reads everything at once, as a client does who is never slow.
func (p *peer) listen() {
	defer close(p.frames)
	for {
		f, err := p.read()
		if err != nil {
			return
		}
		p.frames <- f
	}
}

// read has a framer for each frame, since one makes what it has read before invalid.
func (p *peer) read() (http2.Frame, error) {
	frame := make([]byte, frameHeader)
	if _, err := io.ReadFull(p.conn, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame)>>8)...)
	if _, err := io.ReadFull(p.conn, frame[frameHeader:]); err != nil {
		return nil, err
	}
	framer := http2.NewFramer(nil, bytes.NewReader(frame))
	framer.ReadMetaHeaders = p.decoder
	return framer.ReadFrame()
}

// served is a client of a server, which has sent its preface and its SETTINGS.
func served(t *testing.T, s *Server, settings ...http2.Setting) *peer {
	t.Helper()
	p := connected(t, s)
	go p.listen()
	_, _ = io.WriteString(p.conn, http2.ClientPreface)
	_ = p.framer.WriteSettings(settings...)
	return p
}

// connected has said nothing yet.
func connected(t *testing.T, s *Server) *peer {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		s.Serve(theirs)
		close(ended)
	}()
	t.Cleanup(func() { <-ended })
	return newPeer(t, ours)
}

// header is a block: pairs of names and values after the method.
func (p *peer) header(method string, more ...string) []byte {
	return p.encode(append([]string{":method", method, ":scheme", "http", ":authority", "x", ":path", "/"}, more...)...)
}

func (p *peer) encode(pairs ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(p.block.Bytes())
}

// begin a stream, or end it with a trailer.
func (p *peer) begin(id uint32, block []byte, last bool) {
	_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true, EndStream: last})
}

// next frame that want takes; nil at the connection's end.
func next[F http2.Frame](p *peer) (found F) {
	for f := range p.frames {
		if one, ok := f.(F); ok {
			return one
		}
	}
	return found
}

// end returns what the connection ended with; ErrCodeNo if it has said nothing else.
func (p *peer) end() (code http2.ErrCode) {
	for f := range p.frames {
		if away, ok := f.(*http2.GoAwayFrame); ok {
			code = away.ErrCode
		}
	}
	return code
}

// status of a stream's answer, or why it was reset; what others get is passed over.
func (p *peer) status(id uint32) string {
	for f := range p.frames {
		if f.Header().StreamID != id {
			continue
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			return f.PseudoValue("status")
		case *http2.RSTStreamFrame:
			return f.ErrCode.String()
		}
	}
	return "the connection ended"
}

// answers is a handler that reads the body, and says what it thinks of it.
func answers(s *Stream, _ *Request) {
	_, err := io.Copy(io.Discard, s)
	status := 200
	if err != nil && !errors.Is(err, ErrReset) {
		status = 400
	}
	_ = s.Header(status, nil, true)
}
