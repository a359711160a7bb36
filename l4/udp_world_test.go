package l4

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// udpWorld is a world whose app has a UDP route.
func udpWorld(t *testing.T, edit func(*conf.App)) *world {
	return newWorld(t, func(a *conf.App) {
		a.Routes = []conf.Route{{UDP: "127.0.0.1:0", Port: appPort}}
		if edit != nil {
			edit(a)
		}
	})
}

func responses(n int) *int { return &n }

func (w *world) udpSocket() *udpSocket {
	w.front.mu.Lock()
	defer w.front.mu.Unlock()
	for key, s := range w.front.open {
		if key.proto == "udp" {
			return s.(*udpSocket)
		}
	}
	w.Fatal("no UDP listener")
	return nil
}

// limit is for tests in which clients come faster than others grow quiet.
func (t *sessions) limit(most, ofSocket, ofSource int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most, t.mostOfSocket, t.mostOfSource = most, ofSocket, ofSource
	t.quiet, t.quietOfSource = 0, 0
}

// udpClient speaks to the front's UDP listener alone.
func (w *world) udpClient() *net.UDPConn { return w.udpClientFrom("127.0.0.1") }

func (w *world) udpClientFrom(ip string) *net.UDPConn {
	w.Helper()
	to, err := netip.ParseAddrPort(w.address("udp"))
	if err != nil {
		w.Fatal(err)
	}
	conn, err := net.DialUDP("udp", &net.UDPAddr{IP: net.ParseIP(ip)}, net.UDPAddrFromAddrPort(to))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patient))
	return conn
}

// udpListener is where a replica listens.
func (w *world) udpListener() *net.UDPConn {
	w.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		w.Fatal(err)
	}
	_ = conn.SetReadBuffer(4 << 20)
	w.Cleanup(func() { conn.Close() })
	return conn
}

// answers starts a replica that answers each datagram with what f makes of it; nil is no answer.
func (w *world) answers(id string, f func([]byte, netip.AddrPort) []byte) *pool.Upstream {
	w.Helper()
	conn := w.udpListener()
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			if answer := f(buffer[:n], from); answer != nil {
				_, _ = conn.WriteToUDPAddrPort(answer, from)
			}
		}
	}()
	return w.ready(id, conn.LocalAddr(), true)
}

func echoed(data []byte, _ netip.AddrPort) []byte { return append([]byte{}, data...) }

func named(name string) func([]byte, netip.AddrPort) []byte {
	return func([]byte, netip.AddrPort) []byte { return []byte(name) }
}

// asks sends one datagram and returns the answer.
func asks(t *testing.T, conn *net.UDPConn, text string) string {
	t.Helper()
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return next(t, conn)
}

func next(t *testing.T, conn *net.UDPConn) string {
	t.Helper()
	buffer := make([]byte, 64<<10)
	n, err := conn.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	return string(buffer[:n])
}

func (w *world) noSessions() {
	w.Helper()
	w.eventually("every session has ended", func() bool { return w.front.sessions.count() == 0 })
}

func valueOf(counter prometheus.Metric) float64 {
	var written dto.Metric
	_ = counter.Write(&written)
	return written.GetCounter().GetValue()
}

func gaugeOf(gauge prometheus.Metric) float64 {
	var written dto.Metric
	_ = gauge.Write(&written)
	return written.GetGauge().GetValue()
}
