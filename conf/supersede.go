package conf

import (
	"net"
	"net/netip"
)

// Supersedes says whether, of the listeners that old has at the port of an address, none stays what it is in new, and
// there is one. Then the address may be opened while that is still open: a port whose listeners change, from one address
// to all or from routes alone to HTTPS beside them, is never closed in between. What overlaps in new itself is refused as
// it is at a start. Proto is tcp or udp; old may be nil.
func Supersedes(old, new *Config, proto, address string) bool {
	if old == nil {
		return false
	}
	stays, found := new.listeners(proto), false
	for other := range stays {
		if other != address && samePort(other, address) && (everywhere(other) || everywhere(address)) {
			return false
		}
	}
	for other, purpose := range old.listeners(proto) {
		if !samePort(other, address) {
			continue
		}
		if stays[other] == purpose {
			return false
		}
		found = true
	}
	return found
}

// listeners are addresses and what they are for. HTTPS has those that it shares with server names.
func (c *Config) listeners(proto string) map[string]string {
	all := map[string]string{}
	for _, app := range c.Apps {
		for _, way := range app.ways(proto) {
			all[way.Address] = "routes"
		}
	}
	if proto != "tcp" {
		return all
	}
	for _, address := range c.Listen.HTTP {
		all[address] = "http"
	}
	for _, address := range c.Listen.HTTPS {
		all[address] = "https"
	}
	return all
}

// everywhere says whether an address is every one of this machine.
func everywhere(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

func samePort(a, b string) bool {
	_, one, errOne := net.SplitHostPort(a)
	_, other, errOther := net.SplitHostPort(b)
	return errOne == nil && errOther == nil && one == other && one != "0"
}
