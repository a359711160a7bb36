package l7

import (
	"cmp"
	"net"
	"strconv"

	"github.com/fairlead/fairlead/l7/fields"
)

// advertise tells a visitor who came over TCP that there is HTTP/3 (RFC 7838): only if there really is, on the port that he
// came to or what the outside sees of it, and not to a proxy before us, which would not come that way.
func (s *story) advertise(h *fields.List) {
	if !s.x.TLS || s.x.Proto == "HTTP/3.0" || s.outside.trusted || h.Has("Alt-Svc") {
		return
	}
	port := portOf(s.x.Local)
	if !s.front.quic.servedAt(port) {
		return
	}
	h.Add("Alt-Svc", `h3=":`+strconv.Itoa(cmp.Or(s.table.public.HTTPS, port))+`"; ma=86400`)
}

// portOf is 0 for what has none.
func portOf(addr net.Addr) int {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.Port
	case *net.UDPAddr:
		return a.Port
	}
	return 0
}
