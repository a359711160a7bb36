package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// Kind is how an app shows that it is ready.
type Kind int

const (
	TCP    Kind = iota // it accepts connections
	HTTP               // it answers a GET with a 2xx or 3xx
	Health             // the engine's own health check says healthy
	Speaks             // it says something over HTTP, whatever that is
	UDP                // it does not refuse a datagram, or answers it
)

func (k Kind) String() string {
	switch k {
	case TCP:
		return "tcp"
	case HTTP:
		return "http"
	case Health:
		return "health"
	case Speaks:
		return "speaks"
	case UDP:
		return "udp"
	default:
		return "unknown"
	}
}

// Check is what to try.
type Check struct {
	Kind Kind
	Addr netip.AddrPort // of all but Health
	// Direct means that Addr is the container's own: a connect proves that the app listens.
	Direct bool
	// Timeout bounds one attempt, from the dial to the answer; 0 means 5 s. An app that needs longer for an answer
	// never passes.
	Timeout time.Duration

	Path string      // of HTTP, with a query if need be; empty means /. Not a URL: nothing but Addr is ever asked
	Host string      // the Host header; empty means Addr
	TLS  *tls.Config // of an app that speaks HTTPS, which HTTP and Speaks ask so; nil means plain HTTP

	// Send is said to an app over TCP or UDP, and Expect must be in its answer. Both may be empty: Expect alone waits for a
	// greeting, Send alone for any answer.
	Send, Expect string

	// Status asks the engine for the container's health: healthy passes.
	Status func(ctx context.Context) (string, error)
}

const defaultTimeout = 5 * time.Second

func (c Check) timeout() time.Duration {
	if c.Timeout <= 0 {
		return defaultTimeout
	}
	return c.Timeout
}

// converses says whether the app has to say something that is looked at.
func (c Check) converses() bool { return c.Send != "" || c.Expect != "" }

func (c Check) path() string { return cmp.Or(c.Path, "/") }

func (c Check) host() string { return cmp.Or(c.Host, c.Addr.String()) }

// Valid says what is wrong with a check: ErrCheck, or nil.
func (c Check) Valid() error {
	switch {
	case c.Kind < TCP || c.Kind > UDP:
		return fmt.Errorf("%w: kind %d", ErrCheck, c.Kind)
	case c.Kind == Health && c.Status == nil:
		return fmt.Errorf("%w: nobody to ask for the health", ErrCheck)
	case c.Kind == HTTP && !strings.HasPrefix(c.path(), "/"):
		return fmt.Errorf("%w: path %q: want a path that begins with /", ErrCheck, c.Path)
	case strings.ContainsFunc(c.path(), unprintable) || strings.Contains(c.Path, "#"):
		return fmt.Errorf("%w: path %q: want it percent-encoded, without fragment", ErrCheck, c.Path)
	case strings.ContainsFunc(c.Host, unprintable):
		return fmt.Errorf("%w: host %q", ErrCheck, c.Host)
	}
	return nil
}

// unprintable characters would end the request line or the header early.
func unprintable(r rune) bool { return r <= ' ' || r >= 0x7f }
