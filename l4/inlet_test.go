package l4

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/relay/loop"
)

// fromPort is an app that says whom it has heard.
func fromPort(_ []byte, from netip.AddrPort) []byte { return []byte(from.String()) }

// Each loop has an inlet, and a client's session is on that of his inlet.
func TestInletsAreOnAllLoops(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	socket := w.udpSocket()
	on := map[*loop.Loop]bool{}
	for _, i := range socket.inlets {
		on[i.loop] = true
	}
	if want := min(len(loop.Shared().All()), mostInlets); len(on) != want || len(socket.inlets) != want {
		t.Fatalf("%d inlets on %d loops, want %d", len(socket.inlets), len(on), want)
	}
	for range 20 {
		asks(t, w.udpClient(), "x")
	}
	w.front.sessions.mu.Lock()
	defer w.front.sessions.mu.Unlock()
	used := map[*inlet]bool{}
	for _, s := range w.front.sessions.byKey {
		used[s.inlet] = true
		s.mu.Lock()
		if s.app.loop != s.inlet.loop {
			t.Errorf("%v is heard on another loop than its app", s.key.peer)
		}
		s.mu.Unlock()
	}
	if len(used) != len(socket.inlets) {
		t.Errorf("%d of %d inlets are used", len(used), len(socket.inlets))
	}
}

// The kernel may give a client's datagrams to another inlet from one moment on: it is the same session.
func TestSessionsAreOfAllInlets(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", fromPort)
	client := w.udpClient()
	port := asks(t, client, "x")
	from := datagram.AddrOf(netip.MustParseAddrPort(client.LocalAddr().String()))
	for _, i := range w.udpSocket().inlets {
		out := datagram.Borrow()
		i.socket.deliver([]datagram.Message{{Data: []byte("x"), Peer: from}}, out, i, time.Now())
		out.Free()
		if got := next(t, client); got != port {
			t.Errorf("heard as %s, and before as %s", got, port)
		}
	}
}

// Where there are no loops, or no descriptor is left for one, a goroutine reads.
func TestInletWithoutALoop(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	conn, err := datagram.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket := &udpSocket{
		front: w.front, key: w.udpSocket().key, open: w.front.service, stop: func(error) {},
	}
	socket.inlets = []*inlet{{socket: socket, conn: conn, pause: relay.FirstPause}}
	over := make(chan struct{})
	go func() {
		socket.run()
		close(over)
	}()
	client, err := net.Dial("udp", conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_ = client.SetDeadline(time.Now().Add(patient))
	if got := asks(t, client.(*net.UDPConn), "x"); got != "x" {
		t.Errorf("got %q", got)
	}
	if err := socket.Close(); err != nil {
		t.Error(err)
	}
	<-over
}

// An inlet that was closed before it was to run does not run.
func TestInletClosedBeforeItRuns(t *testing.T) {
	w := udpWorld(t, nil)
	key := socketKey{"udp", "127.0.0.1:0"}
	s, err := w.front.listenUDP(key, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s.run()
	for _, i := range s.(*udpSocket).inlets {
		tried := make(chan bool)
		i.loop.Do(func() { tried <- i.key != (loop.Key{}) || i.pause != relay.FirstPause })
		if <-tried {
			t.Error("it was tried")
		}
	}
}
