package podman

import (
	"net"

	"github.com/fairlead/fairlead/runtime"
)

// hostPort is 0 for Podman to choose, but for UDP: Podman looks for a port that is free over TCP (libpod's
// GetRandomPort, 4.3), and every UDP client on the machine may have it ("rootlessport listen udp: address already in
// use"). One that is free here is very likely so a moment later; on another machine's address it is Podman's choice.
func hostPort(p runtime.Port) uint16 {
	if p.Proto != "udp" {
		return 0
	}
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(p.HostIP)})
	if err != nil {
		return 0
	}
	defer conn.Close()
	return uint16(conn.LocalAddr().(*net.UDPAddr).Port)
}
