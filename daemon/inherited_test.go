package daemon

import (
	"net"
	"os"
	"strings"
	"testing"
)

// passed is a socket as systemd hands it over.
func passed(t *testing.T, address string) (*os.File, string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file, listener.Addr().String()
}

func refuse(string) (net.Listener, error) { panic("opened, though systemd passes it") }

// A socket of systemd's is there again after a reload let go of it, and a client that came meanwhile is served.
func TestInheritedSocketOutlivesItsListener(t *testing.T) {
	file, address := passed(t, "127.0.0.1:0")
	sockets := inherited{"web": {file}}
	for range 2 {
		client, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		listener, err := sockets.listen("systemd:web", refuse)
		if err != nil || listener.Addr().String() != address {
			t.Fatalf("got %v (%v), want %s", listener, err, address)
		}
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		listener.Close()
	}
}

func TestInheritedSocketIsTheOneMeant(t *testing.T) {
	one, _ := passed(t, "127.0.0.1:0")
	two, _ := passed(t, "127.0.0.1:0")
	everywhere, _ := passed(t, "0.0.0.0:0")
	sockets := inherited{"twice": {one, two}, "open": {everywhere}}
	for address, want := range map[string]string{"systemd:web": "only open, twice", "systemd:twice": "2 sockets"} {
		if _, err := sockets.listen(address, refuse); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if _, err := (inherited{}).listen("systemd:web", refuse); err == nil || !strings.Contains(err.Error(), "no socket at all") {
		t.Errorf("without systemd: got %v", err)
	}
	if _, err := sockets.private("systemd:open", refuse); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("the admin API for everybody: got %v", err)
	}
	if listener, err := sockets.listen("127.0.0.1:0", openTCP); err != nil {
		t.Error(err)
	} else {
		listener.Close()
	}
}
