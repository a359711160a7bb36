package l4

import (
	"encoding/binary"
	"net/netip"
)

// prefixOf is what counts as one client: an IPv4 address, or the /64 of an IPv6 one, in which privacy extensions change
// the rest (RFC 8981).
func prefixOf(addr netip.Addr) netip.Addr {
	addr = addr.Unmap()
	if !addr.Is6() {
		return addr
	}
	prefix, _ := addr.Prefix(64)
	return prefix.Addr()
}

// sourceOf is a number for a client's address, never 0. It is the same in every run, so that a restart of Fairlead moves
// nobody.
func sourceOf(addr netip.Addr) uint64 {
	bytes := prefixOf(addr).As16()
	hash := binary.BigEndian.Uint64(bytes[:8])*0x9E3779B97F4A7C15 ^ binary.BigEndian.Uint64(bytes[8:])
	return hash | 1<<63
}
