package l7

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/fields"
)

// proxies are the peers whose word about the visitor is taken.
type proxies []netip.Prefix

// trust says whether a peer is among them. One that is no IP address, as on a unix socket, never is (case B113).
func (p proxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// peer reads the address of a connection's other end, and how it is written; the zero address for a local one.
func peer(remote string) (netip.Addr, string) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, ""
	}
	if addr := at.Addr(); addr.Is4() {
		return addr, remote[:strings.LastIndexByte(remote, ':')] // there is one spelling only
	}
	addr := at.Addr().Unmap().WithZone("")
	return addr, addr.String()
}

// outside is what is known of the visitor's side, and of how far to trust it.
type outside struct {
	peer    netip.Addr
	near    string // the same as text; empty if there is none
	trusted bool
	client  string // the address that the request came from, through trusted proxies
	scheme  string
	host    string
	public  conf.Public
}

func (p proxies) outside(x *Exchange) outside {
	o := outside{scheme: "http", host: x.Host}
	o.peer, o.near = peer(x.Remote)
	o.client = o.near
	if x.TLS {
		o.scheme = "https"
	}
	if o.trusted = p.trust(o.peer); !o.trusted {
		return o
	}
	if scheme := strings.ToLower(x.Header.Get("X-Forwarded-Proto")); scheme == "http" || scheme == "https" {
		o.scheme = scheme
	}
	if host := x.Header.Get("X-Forwarded-Host"); host != "" {
		o.host = host
	}
	o.client = p.client(o.client, x.Header.Joined("X-Forwarded-For"))
	return o
}

// address of the client; the zero address for a local one.
func (o *outside) address() netip.Addr {
	addr, _ := netip.ParseAddr(o.client)
	return addr
}

// client is the last address of the chain that no trusted proxy has.
func (p proxies) client(at, chain string) string {
	hops := strings.Split(chain, ",")
	for i := len(hops) - 1; i >= 0; i-- {
		addr, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return at
		}
		// A zone may be any text, and is no part of where somebody is.
		if addr = addr.WithZone(""); !p.trust(addr.Unmap()) {
			return addr.String()
		}
		at = addr.String()
	}
	return at
}

// port that the visitor reached: the configured one, else the one he named, else his scheme's.
func (o *outside) port() string {
	if port := o.publicPort(); port != 0 {
		return strconv.Itoa(port)
	}
	if _, port, err := net.SplitHostPort(o.host); err == nil && port != "" {
		return port
	}
	if o.scheme == "https" {
		return "443"
	}
	return "80"
}

func (o *outside) publicPort() int {
	if o.scheme == "https" {
		return o.public.HTTPS
	}
	return o.public.HTTP
}

// forward writes what the app is told about the visitor. Prefix is what the route takes off the path.
func (o *outside) forward(h *fields.List, prefix string) {
	distrust(h, o.trusted)
	if o.peer.IsValid() {
		h.Set("X-Forwarded-For", appended(h.Joined("X-Forwarded-For"), o.near))
	}
	h.Set("X-Forwarded-Proto", o.scheme)
	h.Set("X-Forwarded-Host", o.host)
	if h.Get("X-Forwarded-Port") == "" {
		h.Set("X-Forwarded-Port", o.port())
	}
	if prefix != "" {
		h.Set("X-Forwarded-Prefix", strings.TrimSuffix(h.Get("X-Forwarded-Prefix"), "/")+prefix)
	}
	if h.Has("Forwarded") {
		h.Set("Forwarded", appended(h.Joined("Forwarded"), o.element()))
	}
}

// element of RFC 7239 for this hop.
func (o *outside) element() string {
	who := "unknown"
	if o.peer.Is4() {
		who = o.peer.String()
	} else if o.peer.IsValid() {
		who = `"[` + o.peer.String() + `]"`
	}
	return "for=" + who + ";proto=" + o.scheme
}

func appended(before, value string) string {
	if before == "" {
		return value
	}
	return before + ", " + value
}

// distrust removes what only a trusted proxy may say (case B112), the names that an app may take for one of those, with
// underscores for hyphens, and Proxy, which CGI takes for its own HTTP_PROXY (case B197).
func distrust(h *fields.List, trusted bool) {
	h.DelFunc(func(f fields.Field) bool {
		if strings.IndexByte(f.Name, '_') < 0 {
			return f.Is("Proxy") || !trusted && aboutVisitor(f)
		}
		twin := fields.Field{Name: strings.ReplaceAll(f.Name, "_", "-")}
		return aboutVisitor(twin) || twin.Is("Remote-User")
	})
}

// visitorFields are what a proxy says of a visitor, beside the family X-Forwarded.
var visitorFields = [...]string{"Forwarded", "X-Real-Ip", clientCertificate, clientCertificate + "-Chain"}

func aboutVisitor(f fields.Field) bool {
	const family = "X-Forwarded-"
	return len(f.Name) > len(family) && strings.EqualFold(f.Name[:len(family)], family) || isOneOf(f, visitorFields[:])
}
