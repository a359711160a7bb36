package relay

import (
	"net"
	"net/netip"
	"time"

	"github.com/fairlead/fairlead/relay/loop"
)

// Socket is a client's connection as a loop has accepted it. Whoever has it joins it with another, makes a Conn of it, or
// closes it.
type Socket struct {
	Remote netip.AddrPort
	fd     int
	loop   *loop.Loop
}

// Take gives the descriptor away, and the loop that it is for.
func (s Socket) Take() (fd int, l *loop.Loop) { return s.fd, s.loop }

// SocketListener is a listener from which loops may accept.
type SocketListener interface {
	net.Listener
	// OnLoops has loops accept in place of Accept, until the channel is closed with the listener. Take gets connections that
	// are nothing but sockets, other those that something wraps. All functions run on loops and must not block. Nil if it
	// cannot be, and nothing has happened.
	OnLoops(take func(Socket), other func(net.Conn), trouble func(err error, pause time.Duration)) (closed <-chan struct{})
}
