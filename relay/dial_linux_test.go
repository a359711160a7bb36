package relay

import (
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// P5: only a dial to a container's own address is bound to the machine; published ports may be anywhere. case B083:
// both find a dead peer by themselves.
func TestDialSetsSocketOptions(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, direct := range map[string]bool{"direct": true, "published": false} {
		t.Run(name, func(t *testing.T) {
			c, err := Dialer{}.Dial(t.Context(), netip.MustParseAddrPort(l.Addr().String()), direct)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			dontRoute := 0
			if direct {
				dontRoute = 1
			}
			wantOption(t, c, "SO_DONTROUTE", unix.SOL_SOCKET, unix.SO_DONTROUTE, dontRoute)
			wantOption(t, c, "TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
			wantOption(t, c, "SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
			wantOption(t, c, "TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 30)
			wantOption(t, c, "TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 30)
			wantOption(t, c, "TCP_KEEPCNT", unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3)
			wantOption(t, c, "TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 120_000)
		})
	}
}

func wantOption(t *testing.T, c *net.TCPConn, name string, level, option, want int) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	outer := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), level, option) })
	if outer != nil || err != nil {
		t.Fatal(outer, err)
	}
	if got != want {
		t.Errorf("%s is %d, want %d", name, got, want)
	}
}
