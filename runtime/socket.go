package runtime

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/runtime/tunnel"
)

const (
	dialBound     = 5 * time.Second
	idleConnBound = 90 * time.Second
	idlePerHost   = 2 * inspectsAtOnce // a look's inspects must find their connections again at the next look
)

// Socket is the way to an engine's API. It counts its dials: as long as no new connection was made, the engine that
// answers is the one that answered before, so what it said of itself may be remembered (see Memo).
type Socket struct {
	URL       *url.URL // unix:///path, tcp://host:port or ssh://user@host:port/path
	network   string   // unix, tcp or ssh
	address   string
	tunnel    *tunnel.Tunnel // nil but for ssh
	transport *http.Transport
	dials     atomic.Uint64
}

// NewSocket prepares the way and connects to nothing. TLS is for tcp, nil means plain HTTP; how is for ssh.
func NewSocket(rawURL string, secure *tls.Config, how tunnel.SSH) (*Socket, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("engine url: %w", err) // which quotes it
	}
	s := &Socket{URL: u, network: u.Scheme}
	switch u.Scheme {
	case "unix":
		s.address = path.Join("/", u.Host, u.Path)
	case "tcp":
		s.address = u.Host
	case "ssh":
		if s.tunnel, err = tunnel.To(u, how); err != nil {
			return nil, err
		}
		s.address = s.tunnel.Address()
	default:
		return nil, fmt.Errorf("engine url %q: want unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST/PATH", rawURL)
	}
	if s.address == "" || s.address == "/" {
		return nil, fmt.Errorf("engine url %q: names no address", rawURL)
	}
	s.transport = &http.Transport{
		DialContext:         s.dial,
		TLSClientConfig:     secure,
		TLSHandshakeTimeout: dialBound,
		DisableCompression:  true,
		MaxIdleConnsPerHost: idlePerHost,
		IdleConnTimeout:     idleConnBound,
	}
	return s, nil
}

func (s *Socket) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	s.dials.Add(1)
	if s.tunnel != nil {
		return s.tunnel.Dial(ctx)
	}
	dialer := net.Dialer{Timeout: dialBound}
	return dialer.DialContext(ctx, s.network, s.address)
}

// Dials counts the connections that were attempted so far.
func (s *Socket) Dials() uint64 { return s.dials.Load() }

// Secure says whether requests are https.
func (s *Socket) Secure() bool { return s.transport.TLSClientConfig != nil }

// Transport carries requests for any host name to the engine.
func (s *Socket) Transport() *http.Transport { return s.transport }

// Client has no timeout of its own (a stop or a pull may take long): its requests are bounded by their contexts.
func (s *Socket) Client() *http.Client {
	return &http.Client{Transport: s.transport, CheckRedirect: refuseRedirect}
}

// refuseRedirect: an engine redirects only a malformed path, and Go would turn a redirected POST into a GET.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("engine answered with a redirect")
}

// Base is the URL that paths of the API are appended to.
func (s *Socket) Base() string {
	scheme := "http"
	if s.Secure() {
		scheme = "https"
	}
	if s.network != "tcp" {
		return scheme + "://engine"
	}
	return scheme + "://" + s.address + strings.TrimSuffix(s.URL.Path, "/")
}

// Close ends idle connections; those in use end with their requests.
func (s *Socket) Close() {
	s.transport.CloseIdleConnections()
	if s.tunnel != nil {
		s.tunnel.Retire()
	}
}
