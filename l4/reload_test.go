package l4

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// case B178: one reload makes an address wider or narrower on the same port. Nobody is refused meanwhile, and who is
// connected stays so.
func TestReloadOnTheSamePort(t *testing.T) {
	port := freePort(t)
	narrow, wide := net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("", port)
	w := newWorld(t, func(a *conf.App) { a.Routes = atBoth(narrow) })
	w.serves("r1", true, says("hello"))
	first := w.from("127.0.0.1", narrow)
	hear(t, first, "hello")

	stop := connecting(t, narrow)
	defer stop()
	w.moves(wide)
	second := w.from("127.0.0.1", net.JoinHostPort("127.0.0.5", port))
	hear(t, second, "hello")
	w.moves(narrow)
	stop()
	if conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.5", port)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("it listens where it listened: %v, %v", conn, err)
	}
	for _, client := range []net.Conn{first, second, w.from("127.0.0.1", narrow)} {
		say(t, client, "x")
	}
	hear(t, first, "x")
	hear(t, second, "x")
}

// The same over UDP.
func TestReloadOfUDPOnTheSamePort(t *testing.T) {
	port := freePort(t)
	narrow, wide := net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("", port)
	w := udpWorld(t, func(a *conf.App) { a.Routes = atBoth(narrow)[1:] })
	w.answers("r1", echoed)
	for _, address := range []string{wide, narrow, wide} {
		w.movesUDP(address)
		if got := asks(t, w.udpClientTo(narrow), "x"); got != "x" {
			t.Errorf("at %s: got %q", address, got)
		}
	}
	if got := asks(t, w.udpClientTo(net.JoinHostPort("127.0.0.5", port)), "y"); got != "y" {
		t.Errorf("got %q", got)
	}
}

// An overlap that stays is refused as it is at a start.
func TestReloadThatOverlaps(t *testing.T) {
	port := freePort(t)
	narrow, wide := net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("", port)
	w := newWorld(t, func(a *conf.App) { a.Routes = atBoth(narrow) })
	next := w.config.Apps["db"].Routes
	if err := w.tries(append(next, atBoth(wide)...)); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v", err)
	}
}

func atBoth(address string) []conf.Route {
	return []conf.Route{{TCP: address, Port: appPort}, {UDP: address, Port: appPort}}
}

// freePort is free over TCP and UDP, and none of those that the system gives to clients: a client of somebody else's could
// take one of these before it is listened on, at any address.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		tcp, err := net.Listen("tcp", ":"+port)
		if err != nil {
			continue
		}
		tcp.Close()
		if udp, err := net.ListenPacket("udp", ":"+port); err == nil {
			udp.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// connecting goes on until stop, and nobody refuses it.
func connecting(t *testing.T, address string) (stop func()) {
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; !over.Load(); n++ {
			conn, err := net.Dial("tcp", address)
			if errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("connection %d: %v", n, err)
			}
			if err == nil {
				conn.Close()
			}
		}
	}()
	return func() { over.Store(true); <-done }
}

// tries to reload with other routes, in a configuration of its own as a file would give.
func (w *world) tries(routes []conf.Route) error {
	app, next := *w.config.Apps["db"], *w.config
	app.Routes = routes
	next.Apps = map[string]*conf.App{"db": &app}
	change, err := w.front.Prepare(&next)
	if err != nil {
		return err
	}
	change.Apply()
	w.config = &next
	return nil
}

func (w *world) moves(address string) {
	w.Helper()
	if err := w.tries(atBoth(address)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) movesUDP(address string) {
	w.Helper()
	if err := w.tries(atBoth(address)[1:]); err != nil {
		w.Fatal(err)
	}
}

func (w *world) udpClientTo(address string) *net.UDPConn {
	w.Helper()
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	return conn
}
