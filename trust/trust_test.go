package trust

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/trust/issuer"
)

// shaken makes one handshake, and tells what the app has seen of it.
func shaken(t *testing.T, by Settings, app *tls.Config) (tls.ConnectionState, error) {
	t.Helper()
	config, err := by.Config()
	if err != nil {
		t.Fatal(err)
	}
	us, them := connected(t)
	served := make(chan error, 1)
	seen := make(chan tls.ConnectionState, 1)
	go func() {
		server := tls.Server(them, app)
		err := server.Handshake()
		seen <- server.ConnectionState()
		if err == nil {
			_, err = server.Write([]byte("x"))
		}
		them.Close()
		served <- err
	}()
	conn, err := Shake(t.Context(), us, config)
	if err == nil {
		_, err = conn.Read(make([]byte, 1)) // an alert after the handshake comes here
		err = Explain(err)
		conn.Close()
	}
	<-served
	return <-seen, err
}

// connected are two ends: both may write at once, which those of net.Pipe may not.
func connected(t *testing.T) (us, them net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if us, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if them, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return us, them
}

func TestWhoIsKnown(t *testing.T) {
	ours, others := issuer.New(t), issuer.New(t)
	good := ours.Issue("wiki.internal", "10.0.0.7")
	for name, c := range map[string]struct {
		by      Settings
		app     issuer.Pair
		unknown bool
	}{
		"by its name":                  {Settings{Name: "wiki.internal", Roots: ours.Roots}, good, false},
		"by its address":               {Settings{Name: "10.0.0.7", Roots: ours.Roots}, good, false},
		"another name":                 {Settings{Name: "shop.internal", Roots: ours.Roots}, good, true},
		"another address":              {Settings{Name: "10.0.0.8", Roots: ours.Roots}, good, true},
		"another authority":            {Settings{Name: "wiki.internal", Roots: others.Roots}, good, true},
		"the system's authorities":     {Settings{Name: "wiki.internal"}, good, true},
		"expired":                      {Settings{Name: "wiki.internal", Roots: ours.Roots}, ours.Expired("wiki.internal"), true},
		"any name":                     {Settings{Roots: ours.Roots}, good, false},
		"any name, another authority":  {Settings{Roots: others.Roots}, good, true},
		"any name, expired":            {Settings{Roots: ours.Roots}, ours.Expired("x"), true},
		"its own certificate, no name": {Settings{Roots: good.Cert}, good, false},
		"anybody":                      {Settings{Unverified: true}, others.Expired("x"), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := shaken(t, c.by, c.app.Server(t))
			if Unknown(err) != c.unknown || errors.Is(err, ErrRefused) != c.unknown || !c.unknown && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Without a name and without authorities anybody's certificate would do.
func TestNobodyIsKnownByNothing(t *testing.T) {
	if _, err := (Settings{}).Config(); !errors.Is(err, errNobody) {
		t.Errorf("got %v", err)
	}
	if _, err := (Settings{Roots: "x"}).Config(); !errors.Is(err, errRoots) {
		t.Errorf("got %v", err)
	}
}

// The app is asked for by name, and not by address; it is shown our certificate, or refuses us.
func TestWhatTheAppSees(t *testing.T) {
	ours := issuer.New(t)
	client := ours.Issue("fairlead")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		app := ours.Issue("wiki.internal", "10.0.0.7").Server(t)
		app.ClientAuth, app.ClientCAs, app.MaxVersion = tls.RequireAndVerifyClientCert, ours.Pool(), version
		app.NextProtos = []string{"h2", "http/1.1"}
		state, err := shaken(t, Settings{Name: "wiki.internal", Roots: ours.Roots, Cert: client.Cert, Key: client.Key}, app)
		if err != nil || state.ServerName != "wiki.internal" || state.NegotiatedProtocol != "http/1.1" ||
			state.PeerCertificates[0].Subject.CommonName != "fairlead" {
			t.Errorf("%x: got %v, %+v", version, err, state)
		}
		_, err = shaken(t, Settings{Name: "10.0.0.7", Roots: ours.Roots}, app)
		if !errors.Is(err, ErrRefused) || Unknown(err) {
			t.Errorf("%x: without a certificate: got %v", version, err)
		}
	}
}

// What fails under a handshake is no word of the app's: it may have died.
func TestFailuresAreNoRefusals(t *testing.T) {
	config, err := Settings{Unverified: true}.Config()
	if err != nil {
		t.Fatal(err)
	}
	ended := func(them net.Conn) { _, _ = them.Read(make([]byte, 1<<14)); them.Close() }
	reset := func(them net.Conn) {
		_, _ = them.Read(make([]byte, 1))
		_ = them.(*net.TCPConn).SetLinger(0)
		them.Close()
	}
	plain := func(them net.Conn) { _, _ = io.WriteString(them, "HTTP/1.0 400 Bad Request\r\n\r\n"); them.Close() }
	silent := func(them net.Conn) { _, _ = io.Copy(io.Discard, them) }
	for name, c := range map[string]struct {
		app  func(net.Conn)
		want error
	}{"ended": {ended, io.EOF}, "reset": {reset, syscall.ECONNRESET}, "plain": {plain, ErrRefused}, "silent": {silent, context.DeadlineExceeded}} {
		us, them := connected(t)
		go c.app(them)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := Shake(ctx, us, config)
		cancel()
		if !errors.Is(err, c.want) || errors.Is(err, ErrRefused) != (c.want == ErrRefused) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := us.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the connection is open: %v", name, err)
		}
		them.Close()
	}
}
