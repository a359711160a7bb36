package l7

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// truncating answers with a part of what its header promises.
func truncating(header string) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+header+"\r\n")
		_, _ = io.WriteString(conn, "400\r\n"+strings.Repeat("x", 0x400)+"\r\n")
		time.Sleep(20 * time.Millisecond) // the header is on its way when the end comes
	}
}

// http2Peer sends frames that no client sends.
type http2Peer struct {
	t       *testing.T
	conn    net.Conn
	framer  *http2.Framer
	encoder *hpack.Encoder
	buffer  bytes.Buffer
}

func (h *house) http2Peer() *http2Peer {
	h.t.Helper()
	p := &http2Peer{t: h.t, conn: h.dial()}
	p.framer = http2.NewFramer(p.conn, p.conn)
	p.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	p.encoder = hpack.NewEncoder(&p.buffer)
	_, _ = io.WriteString(p.conn, http2.ClientPreface)
	_ = p.framer.WriteSettings()
	return p
}

// block is the header block of a request.
func (p *http2Peer) block(method string, header http.Header, pseudo ...string) []byte {
	p.buffer.Reset()
	for _, f := range [][2]string{{":method", method}, {":scheme", "http"}, {":path", "/"}, {":authority", "hello"}} {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	for i := 0; i < len(pseudo); i += 2 {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: pseudo[i], Value: pseudo[i+1]})
	}
	for name, values := range header {
		for _, value := range values {
			_ = p.encoder.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: value})
		}
	}
	return p.buffer.Bytes()
}

// ask begins a stream with a GET.
func (p *http2Peer) ask(id uint32, header http.Header, last bool) {
	p.t.Helper()
	p.begin(id, p.block("GET", header), last)
}

func (p *http2Peer) begin(id uint32, block []byte, last bool) {
	p.t.Helper()
	first := block[:min(len(block), 16384)]
	block = block[len(first):]
	err := p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: first, EndHeaders: len(block) == 0, EndStream: last})
	for err == nil && len(block) > 0 {
		part := block[:min(len(block), 16384)]
		block = block[len(part):]
		err = p.framer.WriteContinuation(id, len(block) == 0, part)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// until reads on to a frame of a type; nil if the connection ends before.
func (p *http2Peer) until(kind http2.FrameType) http2.Frame {
	for {
		f, err := p.framer.ReadFrame()
		if err != nil {
			return nil
		}
		if f.Header().Type == kind {
			return f
		}
	}
}

// status of the answer on a stream.
func (p *http2Peer) status(id uint32) string {
	for {
		f, ok := p.until(http2.FrameHeaders).(*http2.MetaHeadersFrame)
		if !ok {
			return "none"
		}
		if f.StreamID == id {
			return f.PseudoValue("status")
		}
	}
}

// ended returns why the connection did.
func (p *http2Peer) ended() error {
	for {
		if _, err := p.framer.ReadFrame(); err != nil {
			return err
		}
	}
}

// anyName is a certificate that covers whatever is asked for.
type anyName struct{ noCertificates }

func (anyName) Covers(string, string) bool { return true }
