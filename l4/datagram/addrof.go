package datagram

import (
	"net"
	"net/netip"
	"strconv"
)

// AddrOf is the same address in this package's form, for systems where net reads datagrams, and for tests.
func AddrOf(a netip.AddrPort) Addr {
	made := Addr{ip: a.Addr().As16(), port: a.Port()}
	if zone := a.Addr().Zone(); zone != "" {
		made.scope = scopeOf(zone)
	}
	return made
}

func scopeOf(zone string) uint32 {
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n)
	}
	if link, err := net.InterfaceByName(zone); err == nil {
		return uint32(link.Index)
	}
	return 0
}
