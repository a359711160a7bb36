package datagram

import (
	"net/netip"
	"strconv"
)

// Addr is a peer's address and port. It is comparable, and made without allocating.
type Addr struct {
	ip    [16]byte // IPv4 as ::ffff:a.b.c.d
	scope uint32   // of a link-local IPv6 address
	port  uint16
}

// IP is the address without its port, IPv4 as such.
func (a Addr) IP() netip.Addr { return netip.AddrFrom16(a.ip).Unmap() }

// AddrPort is for people and for dialling.
func (a Addr) AddrPort() netip.AddrPort {
	ip := a.IP()
	if a.scope != 0 {
		ip = ip.WithZone(strconv.Itoa(int(a.scope)))
	}
	return netip.AddrPortFrom(ip, a.port)
}

func (a Addr) String() string { return a.AddrPort().String() }

// Local is the address of ours that a datagram came to, where the socket has more than one. A reply that comes from
// another address is none to most clients. The zero value leaves it to the kernel.
type Local struct {
	ip    [16]byte
	index uint32 // of the interface of a link-local address, where the address alone would not do
	known bool
}

// IP is invalid for the zero value.
func (l Local) IP() netip.Addr {
	if !l.known {
		return netip.Addr{}
	}
	return netip.AddrFrom16(l.ip).Unmap()
}
