package l4

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// case B148: made-up sources cost a bounded number of sockets and goroutines, and nothing after a while.
func TestSessionsAreBounded(t *testing.T) {
	w := udpWorld(t, func(a *conf.App) { a.UDPIdle = 2 * time.Second })
	w.answers("r1", func([]byte, netip.AddrPort) []byte { return nil })
	socket := w.udpSocket()
	socket.limit(100, 40)
	for i := range 30 {
		for range 20 { // each its own port
			client := w.udpClientFrom(fmt.Sprintf("127.0.1.%d", i))
			_, _ = client.Write([]byte("spoofed"))
			client.Close()
		}
		if n := socket.sessions.count(); n > 100 {
			t.Fatalf("%d sessions", n)
		}
	}
	evicted := w.front.metrics.sessions.WithLabelValues("db", "evicted")
	w.eventually("most of 600 sources had to leave for others", func() bool { return valueOf(evicted) >= 400 })
	w.eventually("the number of goroutines is bounded", func() bool { return len(goroutines()) < 150 })
	w.noSessions()
}

// case B148: one source does not push the others out, and the oldest of its own goes.
func TestOneSourceIsBounded(t *testing.T) {
	w := udpWorld(t, nil)
	w.answers("r1", echoed)
	socket := w.udpSocket()
	socket.limit(100, 3)
	other := w.udpClientFrom("127.0.0.9")
	asks(t, other, "x")
	for range 5 {
		asks(t, w.udpClientFrom("127.0.0.8"), "x")
	}
	w.eventually("three and the other are left", func() bool { return socket.sessions.count() == 4 })
	socket.sessions.mu.Lock()
	defer socket.sessions.mu.Unlock()
	if n := socket.sessions.sources[netip.MustParseAddr("127.0.0.9")].Len(); n != 1 {
		t.Errorf("the other source has %d sessions", n)
	}
}

func (t *sessions) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.Len()
}
