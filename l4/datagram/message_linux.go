package datagram

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// header is struct mmsghdr of recvmmsg(2).
type header struct {
	unix.Msghdr
	length uint32
}

// controlSize has room for a packet info and for a segment size.
const controlSize = 128

// controlData is aligned as the kernel's struct cmsghdr wants it.
type controlData [controlSize / 8]uint64

func (c *controlData) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(c)), controlSize)
}

// readName reads a socket address.
func readName(name *unix.RawSockaddrInet6) (a Addr) {
	if name.Family == unix.AF_INET {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		a.ip = mapped(four.Addr)
		a.port = swapped(four.Port)
		return a
	}
	a.ip, a.port = name.Addr, swapped(name.Port)
	if linkLocal(a.ip) {
		a.scope = name.Scope_id
	}
	return a
}

// writeName writes the address as the socket's family has it and returns its length.
func writeName(name *unix.RawSockaddrInet6, a *Addr, six bool) uint32 {
	if !six {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		*four = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapped(a.port), Addr: [4]byte(a.ip[12:])}
		return unix.SizeofSockaddrInet4
	}
	*name = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: swapped(a.port), Addr: a.ip, Scope_id: a.scope}
	return unix.SizeofSockaddrInet6
}

func mapped(four [4]byte) (ip [16]byte) {
	ip[10], ip[11] = 0xff, 0xff
	copy(ip[12:], four[:])
	return ip
}

func linkLocal(ip [16]byte) bool { return ip[0] == 0xfe && ip[1]&0xc0 == 0x80 }

// swapped turns a port between the host's order and the network's.
func swapped(port uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], port)
	return binary.NativeEndian.Uint16(b[:])
}

// readControl finds where a datagram came to, and the size of those that were put together.
func readControl(raw []byte) (local Local, segment int) {
	for len(raw) >= unix.SizeofCmsghdr {
		head := (*unix.Cmsghdr)(unsafe.Pointer(&raw[0]))
		length := int(head.Len)
		if length < unix.SizeofCmsghdr || length > len(raw) {
			break
		}
		data := raw[unix.CmsgLen(0):length]
		switch {
		case head.Level == unix.IPPROTO_IP && head.Type == unix.IP_PKTINFO && len(data) >= unix.SizeofInet4Pktinfo:
			info := (*unix.Inet4Pktinfo)(unsafe.Pointer(&data[0]))
			local = Local{ip: mapped(info.Spec_dst), known: true}
		case head.Level == unix.IPPROTO_IPV6 && head.Type == unix.IPV6_PKTINFO && len(data) >= unix.SizeofInet6Pktinfo:
			info := (*unix.Inet6Pktinfo)(unsafe.Pointer(&data[0]))
			local = Local{ip: info.Addr, known: true}
			if linkLocal(info.Addr) {
				local.index = info.Ifindex
			}
		case head.Level == unix.IPPROTO_UDP && head.Type == unix.UDP_GRO && len(data) >= 4:
			segment = int(int32(binary.NativeEndian.Uint32(data)))
		}
		raw = raw[min(len(raw), unix.CmsgSpace(length-unix.CmsgLen(0))):]
	}
	return local, segment
}

// writeControl is the other direction; it returns the length.
func writeControl(raw []byte, from *Local, segment int, six bool) (length int) {
	if from.known && six {
		data := nextControl(raw, &length, unix.IPPROTO_IPV6, unix.IPV6_PKTINFO, unix.SizeofInet6Pktinfo)
		*(*unix.Inet6Pktinfo)(unsafe.Pointer(&data[0])) = unix.Inet6Pktinfo{Addr: from.ip, Ifindex: from.index}
	} else if from.known {
		data := nextControl(raw, &length, unix.IPPROTO_IP, unix.IP_PKTINFO, unix.SizeofInet4Pktinfo)
		*(*unix.Inet4Pktinfo)(unsafe.Pointer(&data[0])) = unix.Inet4Pktinfo{Spec_dst: [4]byte(from.ip[12:])}
	}
	if segment > 0 {
		data := nextControl(raw, &length, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 2)
		binary.NativeEndian.PutUint16(data, uint16(segment))
	}
	return length
}

// nextControl begins another control message behind length and returns where its data goes.
func nextControl(raw []byte, length *int, level, kind int32, size int) []byte {
	at := raw[*length:]
	head := (*unix.Cmsghdr)(unsafe.Pointer(&at[0]))
	head.Level, head.Type = level, kind
	head.SetLen(unix.CmsgLen(size))
	*length += unix.CmsgSpace(size)
	return at[unix.CmsgLen(0):unix.CmsgLen(size)]
}
