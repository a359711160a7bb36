package relay

import (
	"context"
	"net"
)

// Listen opens a TCP listener with what ListenConfig gives. Beside says that the address overlaps with that of another one
// of this process, opened by Listen, which is about to be closed: both listen until then, so that nobody is refused.
// Elsewhere than on Linux the address is in use.
func Listen(address string, beside bool) (net.Listener, error) {
	c := ListenConfig()
	if beside {
		sharing(c)
	}
	listener, err := c.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	mayBeShared(listener.(*net.TCPListener))
	return listener, nil
}
