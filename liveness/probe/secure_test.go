package probe_test

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/trust"
	"github.com/fairlead/fairlead/trust/issuer"
)

// An app over TLS is asked by its name. A GET wants one that is known; that it speaks at all, anybody's certificate shows,
// and so does an alert, but no connection that only stays open for a moment.
func TestSecureApp(t *testing.T) {
	by := issuer.New(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "app" || r.TLS == nil || r.TLS.ServerName != "app" {
			w.WriteHeader(http.StatusMisdirectedRequest)
		}
	}))
	server.TLS = by.Issue("app").Server(t)
	server.StartTLS()
	defer server.Close()
	addr := server.Listener.Addr().(*net.TCPAddr).AddrPort()

	ask := func(kind probe.Kind, by trust.Settings) error {
		config, err := by.Config()
		if err != nil {
			t.Fatal(err)
		}
		return probe.Prober{}.Once(t.Context(), probe.Check{Kind: kind, Addr: addr, TLS: config, Host: config.ServerName})
	}
	known, stranger := trust.Settings{Name: "app", Roots: by.Roots}, trust.Settings{Name: "app", Roots: issuer.New(t).Roots}
	wantErr(t, ask(probe.HTTP, known), nil)
	wantErr(t, ask(probe.HTTP, stranger), trust.ErrRefused)
	wantErr(t, ask(probe.Speaks, known), nil)
	wantErr(t, ask(probe.Speaks, stranger), nil)
}

// A port forwarder that accepts and ends the connection is no app.
func TestSecureForwarder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1))
			conn.Close()
		}
	}()
	check := probe.Check{Kind: probe.Speaks, Addr: l.Addr().(*net.TCPAddr).AddrPort(), TLS: &tls.Config{InsecureSkipVerify: true}}
	if err := (probe.Prober{}).Once(t.Context(), check); !errors.Is(err, probe.ErrEnded) {
		t.Errorf("got %v", err)
	}
}
