package podman

import (
	"net"
	"strconv"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// A published UDP port is one that nobody has, TCP ports and foreign addresses are Podman's choice.
func TestHostPort(t *testing.T) {
	port := hostPort(runtime.Port{Number: 53, Proto: "udp", HostIP: "127.0.0.1"})
	conn, err := net.ListenPacket("udp", "127.0.0.1:"+strconv.Itoa(int(port)))
	if err != nil || port == 0 {
		t.Fatalf("port %d is not free: %v", port, err)
	}
	conn.Close()
	for _, p := range []runtime.Port{{Proto: "tcp", HostIP: "127.0.0.1"}, {Proto: "udp", HostIP: "192.0.2.1"}} {
		if port := hostPort(p); port != 0 {
			t.Errorf("%+v: chose %d", p, port)
		}
	}
}
