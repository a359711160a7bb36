//go:build !linux

package datagram

import (
	"errors"
	"net/netip"
	"syscall"
)

// Elsewhere datagrams move one by one, and replies come from the address that the kernel chooses.
type (
	reading   struct{}
	writing   struct{}
	receiving struct{}
)

func linkOnly(syscall.RawConn) error { return nil }

func share(syscall.RawConn) error { return nil }

func (c *Conn) setUp(bool) error { return nil }
func (c *Conn) enlarge()         { _ = c.udp.SetReadBuffer(wanted) }
func (b *Batch) prepare()        {}
func (o *Out) prepare()          {}

// Receive waits for a datagram.
func (c *Conn) Receive() (*Batch, error) {
	batch := borrow()
	n, _, _, peer, err := c.udp.ReadMsgUDPAddrPort(batch.memory[0][:], nil)
	if err != nil {
		batch.Free()
		return nil, err
	}
	batch.n = 1
	batch.messages[0] = Message{Data: batch.memory[0][:n:n], Peer: AddrOf(peer)}
	return batch, nil
}

// Detach is for systems with loops.
func (c *Conn) Detach() (int, error) { return -1, errors.ErrUnsupported }

// DialDetached likewise.
func DialDetached(netip.AddrPort, bool) (*Conn, int, error) { return nil, -1, errors.ErrUnsupported }

// Try is for what was detached.
func (c *Conn) Try() (*Batch, error) { return nil, errors.ErrUnsupported }

// Send writes what was gathered and forgets it.
func (c *Conn) Send(o *Out) (r Result) {
	for i := range o.n {
		e := &o.entries[i]
		to := netip.AddrPort{}
		if e.to != (Addr{}) {
			to = e.to.AddrPort()
		}
		if _, _, err := c.udp.WriteMsgUDPAddrPort(e.data, nil, to); err != nil {
			r.failed(o.entries[i:i+1], err)
			continue
		}
		r.sent(o.entries[i : i+1])
	}
	o.Reset()
	return r
}
