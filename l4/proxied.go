package l4

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/pires/go-proxyproto"

	"github.com/fairlead/fairlead/relay"
)

// headerFor is how long a trusted proxy may take for its header (case B151).
const headerFor = 5 * time.Second

var (
	errNoHeader  = errors.New("a trusted proxy sent no PROXY header")
	errUntrusted = errors.New("a PROXY header came from somebody who is not trusted")
)

// proxies are who may say for whom they speak.
type proxies []netip.Prefix

func (p proxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}

// identify finds out who the client is: the peer, or whom a trusted proxy says to speak for (PROXY protocol, both
// versions). A proxy's own connections (LOCAL) are for health checks, and wake nothing.
func (c *connection) identify(t *table) error {
	if !t.proxied[c.listener] {
		return nil
	}
	if !t.trusted.trust(c.source) {
		c.client = &unproxied{Conn: c.client}
		return nil
	}
	reader := bufio.NewReaderSize(c.client, chunk)
	header, err := proxyproto.ReadHeaderTimeout(c.client, reader, headerFor)
	_ = c.client.SetReadDeadline(time.Time{})
	if err != nil {
		return fmt.Errorf("%w: %w", errNoHeader, err)
	}
	said, _ := reader.Peek(reader.Buffered())
	c.early = bytes.Clone(said)
	if header.Command.IsLocal() {
		c.mayNotWake = true
		return nil
	}
	from, to, ok := header.TCPAddrs()
	if !ok {
		return errNoHeader
	}
	c.comes(from, to)
	return nil
}

// unproxied is a connection of somebody who must not send a PROXY header, where others do. Nothing is read for it that
// would not be read anyway: of a header that comes in pieces the first are passed on before it is known to be one.
type unproxied struct {
	net.Conn
	began   []byte // what may become a header
	spoke   bool   // what is none
	refused error
}

var signatures = []string{string(proxyproto.SIGV2), "PROXY "}

func (u *unproxied) Read(p []byte) (int, error) {
	if u.refused != nil {
		return 0, u.refused
	}
	n, err := u.Conn.Read(p)
	if n > 0 && !u.spoke && u.isHeader(p[:n]) {
		u.refused = errUntrusted
		return 0, errUntrusted
	}
	return n, err
}

func (u *unproxied) isHeader(said []byte) bool {
	u.began = append(u.began, said[:min(len(said), len(proxyproto.SIGV2))]...)
	err := startsWith(signatures, u.began)
	if errors.Is(err, errFiltered) {
		u.spoke, u.began = true, nil
	}
	return err == nil
}

func (u *unproxied) CloseWrite() error { return relay.CloseWrite(u.Conn) }

func (u *unproxied) SetLinger(seconds int) error { return setLinger(u.Conn, seconds) }

// Unwrap gives the socket to who asks it for its state.
func (u *unproxied) Unwrap() net.Conn { return u.Conn }

func setLinger(conn net.Conn, seconds int) error {
	if socket, ok := conn.(interface{ SetLinger(int) error }); ok {
		return socket.SetLinger(seconds)
	}
	return nil
}

// announce tells the app who its client is, before anything else on the connection (case B152).
func (c *connection) announce(app net.Conn) error {
	if c.route.proxy == 0 {
		return nil
	}
	_, err := proxyproto.HeaderProxyFromAddrs(c.route.proxy, c.remote, c.local).WriteTo(app)
	return err
}
