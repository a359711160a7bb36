package relay

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// case B083: what is accepted has what was set on the listener.
func TestAcceptedConnectionsInherit(t *testing.T) {
	l, err := ListenConfig().Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ level, option, want int }{
		"keep-alive": {unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		"idle":       {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, int(KeepAlive / time.Second)},
		"interval":   {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, int(KeepAlive / time.Second)},
		"count":      {unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveTry},
		"unacked":    {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(Unacked / time.Millisecond)},
		"no delay":   {unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
	} {
		if err := raw.Control(func(fd uintptr) {
			if got, err := unix.GetsockoptInt(int(fd), c.level, c.option); err != nil || got != c.want {
				t.Errorf("%s: got %d, %v, want %d", name, got, err, c.want)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}
