package h3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

// peer is a client that says what no client says.
type peer struct {
	t *testing.T
	*quic.Conn
	server *Server
}

// serving serves on a socket of loopback until the test ends.
func serving(t *testing.T, s *Server) (addr string, client *tls.Config) {
	t.Helper()
	kit := httptest.NewTLSServer(nil)
	defer kit.Close()
	pool := x509.NewCertPool()
	pool.AddCert(kit.Certificate())
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &quic.Transport{Conn: socket}
	listener, err := transport.ListenEarly(&tls.Config{Certificates: kit.TLS.Certificates, NextProtos: []string{"h3"}}, &quic.Config{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), listener) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		listener.Close()
		transport.Close()
		socket.Close()
	})
	return socket.LocalAddr().String(), &tls.Config{RootCAs: pool, ServerName: "example.com", NextProtos: []string{"h3"}}
}

// newPeer has no control stream yet.
func newPeer(t *testing.T, s *Server) *peer {
	t.Helper()
	addr, client := serving(t, s)
	conn, err := quic.DialAddr(t.Context(), addr, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseWithError(noError, "") })
	return &peer{t: t, Conn: conn, server: s}
}

// says opens a stream in one direction.
func (p *peer) says(bytes ...byte) *quic.SendStream {
	p.t.Helper()
	stream, err := p.OpenUniStream()
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := stream.Write(bytes); err != nil {
		p.t.Fatal(err)
	}
	return stream
}

// asks opens a stream and sends frames; last ends it with them.
func (p *peer) asks(last bool, frames ...[]byte) *quic.Stream {
	p.t.Helper()
	stream, err := p.OpenStreamSync(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := stream.Write(bytes.Join(frames, nil)); err != nil {
		p.t.Fatal(err)
	}
	if last {
		stream.Close()
	}
	return stream
}

// frame of any type.
func frame(kind uint64, payload []byte) []byte {
	return append(quicvarint.Append(quicvarint.Append(nil, kind), uint64(len(payload))), payload...)
}

// headers of names and values in turns.
func headers(pairs ...string) []byte {
	var block bytes.Buffer
	e := qpack.NewEncoder(&block)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(qpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return frame(frameHeaders, block.Bytes())
}

// request is a header with what every request has, and more.
func request(method string, more ...string) []byte {
	return headers(append([]string{":method", method, ":scheme", "https", ":authority", "hello", ":path", "/"}, more...)...)
}

// ended waits for the connection's end and returns its code.
func (p *peer) ended() quic.ApplicationErrorCode {
	p.t.Helper()
	select {
	case <-p.Context().Done():
	case <-time.After(10 * time.Second):
		p.t.Fatal("the connection goes on")
	}
	var end *quic.ApplicationError
	if err := context.Cause(p.Context()); !errors.As(err, &end) {
		p.t.Fatalf("ended with %v", err)
	}
	return end.ErrorCode
}

// reply is what came on a stream.
type reply struct {
	heads []fields.List
	body  []byte
	reset quic.StreamErrorCode // 0: it ended well
}

func (p *peer) reply(stream *quic.Stream) (r reply) {
	p.t.Helper()
	_ = stream.SetReadDeadline(time.Now().Add(10 * time.Second))
	in := newInflow(stream)
	defer in.release()
	for {
		kind, length, err := in.next()
		var payload []byte
		if err == nil {
			payload, err = in.whole(int(length))
		}
		var reset *quic.StreamError
		switch {
		case err == io.EOF:
			return r
		case errors.As(err, &reset):
			r.reset = reset.ErrorCode
			return r
		case err != nil:
			p.t.Fatal(err)
		case kind == frameHeaders:
			r.heads = append(r.heads, p.decode(payload))
		case kind == frameData:
			r.body = append(r.body, payload...)
		default:
			p.t.Fatalf("frame %#x", kind)
		}
	}
}

func (p *peer) decode(block []byte) (l fields.List) {
	for next := decoder.Decode(block); ; {
		f, err := next()
		if err == io.EOF {
			return l
		}
		if err != nil {
			p.t.Fatal(err)
		}
		l.Add(f.Name, f.Value)
	}
}

// status of the last header.
func (r *reply) status() string {
	if len(r.heads) == 0 {
		return "none"
	}
	return r.heads[len(r.heads)-1].Get(":status")
}

// echo answers with the body that came.
func echo(s *Stream, r *h2.Request) {
	body, err := io.ReadAll(s)
	if err != nil {
		return
	}
	_ = s.Header(200, fields.List{{Name: "X-Method", Value: r.Method}}, false)
	_, _ = s.Write(body)
	_ = s.CloseWrite()
}
