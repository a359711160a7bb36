package l7

import "github.com/fairlead/fairlead/l7/fields"

// hopByHop are the fields that end at the next hop (RFC 9110 section 7.6.1).
var hopByHop = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"TE", "Trailer", "Transfer-Encoding", "Upgrade", "HTTP2-Settings",
}

// hopsByLength are the same by the length of their names: most fields have none to be compared with.
var hopsByLength = func() (by [len("Proxy-Authorization") + 1][]string) {
	for _, name := range hopByHop {
		by[len(name)] = append(by[len(name)], name)
	}
	return by
}()

// stripHops removes the hop-by-hop fields but the kept one, and the fields that any Connection line names (cases B109,
// B110). Do this before fields of our own go in, or the visitor could name them.
func stripHops(h *fields.List, kept string) {
	var some [8]string // more of them cost an allocation
	named := some[:0]
	for name := range h.Members("Connection") {
		if !endsHere(name) {
			named = append(named, name)
		}
	}
	h.DelFunc(func(f fields.Field) bool {
		return endsHere(f.Name) && !f.Is(kept) || isOneOf(f, named)
	})
}

func endsHere(name string) bool {
	return len(name) < len(hopsByLength) && isOneOf(fields.Field{Name: name}, hopsByLength[len(name)])
}

func isOneOf(f fields.Field, names []string) bool {
	for i := range names {
		if f.Is(names[i]) {
			return true
		}
	}
	return false
}

// asksUpgrade returns the protocols that a request asks for, empty for none. What cannot be an upgrade is no error, but
// an ordinary request (RFC 9110 section 7.8): with a body, by HTTP/1.0, or to h2c among others: behind that, an app would
// answer whatever is asked, past routes and limits.
func asksUpgrade(x *Exchange) string {
	if x.Protocol != "" {
		return x.Protocol
	}
	protocols := x.Header.Joined("Upgrade")
	if protocols == "" || x.Proto != "HTTP/1.1" || x.Body != nil || x.Header.HasMember("Upgrade", "h2c") {
		return ""
	}
	if !x.Header.HasMember("Connection", "upgrade") {
		return ""
	}
	return protocols
}
