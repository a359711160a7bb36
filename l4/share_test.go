package l4

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// newShared shares a listener whose own service says "https" to whoever asks for no route's name, over TLS, and where its
// client came from.
func newShared(t *testing.T, edit func(*conf.App)) (w *world, address string) {
	t.Helper()
	w = newWorld(t, edit)
	w.config.Listen.HTTPS = []string{"127.0.0.1:0"}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := w.front.Share("127.0.0.1:0", inner)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate()}})
				var plain tls.RecordHeaderError
				if errors.As(server.Handshake(), &plain) {
					_, _ = io.WriteString(conn, "no TLS: "+string(plain.RecordHeader[:]))
				}
				_, _ = io.WriteString(server, "https for "+conn.RemoteAddr().(*net.TCPAddr).IP.String()+" at "+conn.LocalAddr().(*net.TCPAddr).IP.String())
				_, _ = io.Copy(io.Discard, server)
			}()
		}
	}()
	t.Cleanup(func() { l.Close(); <-served })
	return w, inner.Addr().String()
}

func (w *world) from(source, address string) net.Conn {
	w.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(source)}}
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	return conn
}

func onlyNames(a *conf.App) { names(a); a.Routes = a.Routes[:2] }

// noRoutes has none at the shared address.
func noRoutes(a *conf.App) { a.Routes = nil }

func TestSharedListener(t *testing.T) {
	w, address := newShared(t, noRoutes)
	hear(t, asking(w.from("127.0.0.1", address), "db.example.org"), "https for 127.0.0.1 at 127.0.0.1")

	onlyNames(w.config.Apps["db"]) // by a reload, which opens nothing
	w.apply()
	w.three(secure("one"), secure("two"), closes)
	for name, want := range map[string]string{
		"db.example.org": "one", "web.example.org": "two", "example.net": "https for 127.0.0.1 at 127.0.0.1", "": "https for 127.0.0.1 at 127.0.0.1",
	} {
		client := asking(w.from("127.0.0.1", address), name)
		hear(t, client, want)
		client.Close()
	}
	for _, l := range w.lines(2) {
		if l.Reason != "" || l.App != "db" {
			t.Errorf("logged as ours: %+v", l)
		}
	}
	if len(w.lines(2)) != 2 {
		t.Errorf("got %+v", w.lines(2))
	}
}

// What is no TLS is for the other to refuse; a PostgreSQL client that was promised a server gets none.
func TestSharedListenerAndOthers(t *testing.T) {
	w, address := newShared(t, onlyNames)
	plain := w.from("127.0.0.1", address)
	say(t, plain, "GET / HTTP/1.1\r\n\r\n")
	hear(t, plain, "no TLS: GET /")
	postgres := w.from("127.0.0.1", address)
	say(t, postgres, string(sslRequest))
	hear(t, postgres, "S")
	client := asking(postgres, "unknown.example.net")
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Error("a PostgreSQL client reached HTTPS")
	}
}

func TestSharedListenerHearsProxies(t *testing.T) {
	for name, edit := range map[string]func(*conf.App){"no routes": noRoutes, "names": onlyNames} {
		t.Run(name, func(t *testing.T) { sharedListenerHearsProxies(t, edit) })
	}
}

func sharedListenerHearsProxies(t *testing.T, edit func(*conf.App)) {
	w, address := newShared(t, edit)
	w.config.Listen.ProxyProtocol = []string{"127.0.0.1:0"}
	w.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trusted + "/32")}
	w.apply()
	for version := byte(1); version <= 2; version++ {
		proxied := w.from(trusted, address)
		say(t, proxied, header(t, version, "203.0.113.7:1234"))
		hear(t, asking(proxied, "example.net"), "https for 203.0.113.7 at 198.51.100.1")
	}
	hear(t, asking(w.from("127.0.0.1", address), "example.net"), "https for 127.0.0.1 at 127.0.0.1")
	silent := w.from(trusted, address)
	say(t, silent, "GET / HTTP/1.1\r\n\r\n")
	wantReset(t, silent)
}
