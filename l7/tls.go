package l7

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/relay"
)

// handshakeTimeout is for a client that connects and says nothing, or too slowly.
const handshakeTimeout = 10 * time.Second

// Protocols are what ServeTLS speaks, as ALPN names them, the one we prefer first.
func Protocols() []string { return []string{"h2", "http/1.1"} }

// ServeTLS accepts connections on l until Drain, which closes it, and then returns nil. Each does its handshake on its
// own, and goes on with the protocol that was agreed on in it. It may be called for several listeners.
func (f *Front) ServeTLS(l net.Listener, config *tls.Config) error {
	defer context.AfterFunc(f.upgrades, func() { l.Close() })()
	relay.AcceptAll(l, func(conn net.Conn) { go f.shakeHands(tls.Server(&h1.Link{Conn: conn}, config)) },
		func(err error, pause time.Duration) {
			f.log.Warn("a connection could not be accepted", "listener", l.Addr(), "error", err, "pause", pause)
		})
	if f.upgrades.Err() != nil {
		return nil
	}
	return net.ErrClosed
}

// shakeHands brings one connection to whoever speaks its protocol.
func (f *Front) shakeHands(conn *tls.Conn) {
	ctx, cancel := context.WithTimeout(f.upgrades, handshakeTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		answerPlain(err)
		f.log.Debug("TLS handshake failed", "client", conn.RemoteAddr(), "error", err)
		conn.Close()
		return
	}
	switch conn.ConnectionState().NegotiatedProtocol {
	case "h2":
		f.serveHTTP2(conn)
	case "", "http/1.1":
		f.server.Take(conn)
	default: // such as acme-tls/1, for which the handshake is all there is
		conn.Close()
	}
}

const plainToTLS = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis port speaks HTTPS.\n"

// answerPlain tells a client that speaks HTTP without TLS.
func answerPlain(err error) {
	var header tls.RecordHeaderError
	if !errors.As(err, &header) || header.Conn == nil {
		return
	}
	switch string(header.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET", "PATCH":
		_, _ = io.WriteString(header.Conn, plainToTLS)
	}
}
