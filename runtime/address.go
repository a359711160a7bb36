package runtime

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
)

// PublishedAt reads a port binding as engines write it. A wildcard address means every interface, so loopback of the
// same family reaches it; an empty address is how Podman writes the wildcard. False for what is no address.
func PublishedAt(hostIP, hostPort string) (netip.AddrPort, bool) {
	port, err := strconv.ParseUint(hostPort, 10, 16)
	if err != nil || port == 0 {
		return netip.AddrPort{}, false
	}
	addr := loopback
	if hostIP != "" {
		if addr, err = netip.ParseAddr(hostIP); err != nil {
			return netip.AddrPort{}, false
		}
	}
	switch addr {
	case netip.IPv4Unspecified():
		addr = loopback
	case netip.IPv6Unspecified():
		addr = netip.IPv6Loopback()
	}
	return netip.AddrPortFrom(addr, uint16(port)), true
}

// AppendAddr appends an address as an engine writes it; an empty one, as of a container that does not run, is none.
func AppendAddr(addrs []netip.Addr, written ...string) []netip.Addr {
	for _, w := range written {
		if addr, err := netip.ParseAddr(w); err == nil && !addr.IsUnspecified() {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// Flatten lists the addresses of all networks, those of the requested one first, the others by name.
func Flatten(networks map[string][]netip.Addr, requested string) []netip.Addr {
	addrs := slices.Clone(networks[requested])
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		if name != requested {
			addrs = append(addrs, networks[name]...)
		}
	}
	return addrs
}

// Loopback is 127.0.0.1, where a container in the host's own network answers (case B046).
func Loopback() netip.Addr { return loopback }
