package l4

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// names gives the app three routes at one address: two by name and the rest, each to a port of its own.
func names(a *conf.App) {
	a.Routes = []conf.Route{
		{TCP: "127.0.0.1:0", SNI: "db.example.org", Port: 1},
		{TCP: "127.0.0.1:0", SNI: "*.example.org", Port: 2},
		{TCP: "127.0.0.1:0", Port: 3},
	}
}

var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
})

// secure is an app that speaks TLS and says its name.
func secure(name string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate()}})
		_, _ = io.WriteString(server, name)
		_, _ = io.Copy(server, server)
	}
}

// three puts one replica in, whose three ports are served by three functions.
func (w *world) three(one, two, three func(*net.TCPConn)) {
	w.Helper()
	endpoints := map[int]pool.Endpoint{}
	for i, f := range []func(*net.TCPConn){one, two, three} {
		listener := w.accepts(f)
		endpoints[i+1] = pool.Endpoint{Addr: listener.Addr().(*net.TCPAddr).AddrPort(), Direct: true}
	}
	if _, err := w.app.Reserve("r1", 0, nil); err != nil {
		w.Fatal(err)
	}
	up := pool.NewUpstream("container", "start", endpoints)
	w.app.Settle("r1", 0, func(r *pool.Row) bool { r.BecomeReady(up); return true })
}

func asking(conn net.Conn, name string) net.Conn {
	return tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true})
}

func TestRoutesByServerName(t *testing.T) {
	w := newWorld(t, names)
	w.three(secure("one"), secure("two"), secure("three"))
	for name, want := range map[string]string{
		"db.example.org": "one", "DB.Example.ORG": "one", "web.example.org": "two", "example.org": "three",
		"a.b.example.org": "three", "": "three",
	} {
		client := asking(w.client(), name)
		hear(t, client, want)
		say(t, client, "echo")
		hear(t, client, "echo")
	}
}

// A ClientHello in many records, and in writes of one byte, is put together, and reaches the app as it was.
func TestFragmentedHello(t *testing.T) {
	w := newWorld(t, names)
	w.three(echo, closes, closes)
	hello := fragmented(helloOf(t, "db.example.org"), 50)
	client := w.client()
	go func() {
		for i := range hello {
			_, _ = client.Write(hello[i : i+1])
		}
	}()
	got := make([]byte, len(hello))
	if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, hello) {
		t.Errorf("the app got something else, %v", err)
	}
}

// What is not TLS goes to the route without a name at once, and is reset where there is none.
func TestPlainBesideNames(t *testing.T) {
	w := newWorld(t, names)
	w.three(closes, closes, echo)
	client := w.client()
	say(t, client, "SSH-2.0-x\r\n")
	hear(t, client, "SSH-2.0-x\r\n")

	w.config.Apps["db"].Routes = w.config.Apps["db"].Routes[:2]
	w.apply()
	client = w.client()
	say(t, client, "SSH-2.0-x\r\n")
	wantReset(t, client)
	if l := w.lines(1); l[len(l)-1].Reason != "no-route" {
		t.Errorf("got %+v", l[len(l)-1])
	}
}

// case B143: the peek's deadline does not end the connection later.
func TestPeekLeavesNoDeadline(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t, names)
	w.three(secure("one"), closes, closes)
	client := asking(w.client(), "db.example.org")
	hear(t, client, "one")
	_ = client.SetDeadline(time.Now().Add(2 * peekFor))
	time.Sleep(peekFor + 500*time.Millisecond)
	say(t, client, "late")
	hear(t, client, "late")
}

// A client that never says what it wants is let go.
func TestSilentClientBeforeNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t, func(a *conf.App) { names(a); a.Routes = a.Routes[:2] })
	client := w.client()
	say(t, client, "\x16\x03")
	wantReset(t, client)
}

// postgres is a server's side of the way into TLS.
func postgres(answer byte, then func(*net.TCPConn)) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		asked := make([]byte, len(sslRequest))
		if _, err := io.ReadFull(conn, asked); err != nil || !bytes.Equal(asked, sslRequest) {
			return
		}
		_, _ = conn.Write([]byte{answer})
		then(conn)
	}
}

// PostgreSQL's client asks whether it may speak TLS before it names the server.
func TestPostgresByServerName(t *testing.T) {
	w := newWorld(t, names)
	w.three(postgres('S', secure("one")), closes, closes)
	for _, first := range []string{"", string(gssRequest)} {
		client := w.client()
		if first != "" {
			say(t, client, first)
			hear(t, client, "N")
		}
		say(t, client, string(sslRequest))
		hear(t, client, "S")
		hear(t, asking(client, "db.example.org"), "one")
	}
}

// An app that takes no TLS after all is a reset, not a lie.
func TestPostgresWithoutTLS(t *testing.T) {
	w := newWorld(t, names)
	w.three(postgres('N', echo), closes, closes)
	client := w.client()
	say(t, client, string(sslRequest))
	hear(t, client, "S")
	_ = asking(client, "db.example.org").(*tls.Conn).Handshake()
	if l := w.lines(1)[0]; l.Reason != "no-tls" {
		t.Errorf("got %+v", l)
	}
}

// An app that ends the connection has not said that it takes no TLS.
func TestPostgresThatEnds(t *testing.T) {
	w := newWorld(t, names)
	w.three(closes, closes, closes)
	client := w.client()
	say(t, client, string(sslRequest))
	hear(t, client, "S")
	_ = asking(client, "db.example.org").(*tls.Conn).Handshake()
	if l := w.lines(1)[0]; l.Reason != "lost" {
		t.Errorf("got %+v", l)
	}
}
