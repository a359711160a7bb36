package relay

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// case B178: what is about to be closed leaves room for what follows it; to everybody else the address is in use.
func TestListenBeside(t *testing.T) {
	old, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	_, port, _ := net.SplitHostPort(old.Addr().String())
	for _, address := range []string{old.Addr().String(), ":" + port} {
		if l, err := Listen(address, false); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: got %v, %v", address, l, err)
		}
		fresh, err := Listen(address, true)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s, from somebody else: got %v, %v", address, l, err)
		}
		fresh.Close()
	}
}
