package integration

import (
	"net"
	"net/netip"
	"testing"
)

// freeAddress is for a listener whose address nobody tells. Another may take it before, which ends the smoke at once.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func freePort(t *testing.T) int {
	t.Helper()
	return int(netip.MustParseAddrPort(freeAddress(t)).Port())
}
