package relay

import (
	"context"
	"net"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// onLoop joins two TCP connections on a loop. False if they are none, or no descriptor is left; then nothing has happened
// to them.
func onLoop(ctx context.Context, a, b net.Conn, o Options, done func(Stats, error)) bool {
	socketA, isA := a.(*net.TCPConn)
	socketB, isB := b.(*net.TCPConn)
	loops := loop.Shared()
	if !isA || !isB || loops == nil {
		return false
	}
	fdA, err := loop.Dup(socketA)
	if err != nil {
		return false
	}
	fdB, err := loop.Dup(socketB)
	if err != nil {
		unix.Close(fdA)
		return false
	}
	a.Close() // a socket in two pollers would wake both
	b.Close()
	l := loops.Pick()
	p := newPair(l, fdA, fdB, o, done)
	l.Do(func() { p.start(ctx) })
	return true
}
