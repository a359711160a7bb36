package relay

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// Conn makes a connection of the socket, for those who have to wait for it. It owns the socket, also when it fails.
func (s Socket) Conn() (net.Conn, error) {
	conn, err := loop.Conn(s.fd)
	if err != nil {
		return nil, err
	}
	// What net makes of a socket has keep-alive of its own.
	_ = conn.(*net.TCPConn).SetKeepAliveConfig(net.KeepAliveConfig{
		Enable: true, Idle: KeepAlive, Interval: KeepAlive, Count: keepAliveTry,
	})
	return conn, nil
}

// Close resets the connection.
func (s Socket) Close() {
	e := end{fd: int32(s.fd)}
	e.linger()
	unix.Close(s.fd)
}
