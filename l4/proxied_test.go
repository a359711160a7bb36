package l4

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"

	"github.com/fairlead/fairlead/conf"

	"github.com/fairlead/fairlead/relay"
)

// proxiedWorld trusts 127.0.0.9 at its listener.
func proxiedWorld(t *testing.T, edit func(*conf.App)) *world {
	w := newWorld(t, edit)
	w.config.Listen.ProxyProtocol = []string{"127.0.0.1:0"}
	w.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}
	w.apply()
	return w
}

const trusted = "127.0.0.9"

func header(t *testing.T, version byte, client string) string {
	t.Helper()
	from := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(client))
	to := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("198.51.100.1:443"))
	var b bytes.Buffer
	if _, err := proxyproto.HeaderProxyFromAddrs(version, from, to).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// case B151: a trusted proxy says who the client is, and what comes with the header is the client's.
func TestTrustedHeader(t *testing.T) {
	w := proxiedWorld(t, nil)
	w.serves("r1", true, echo)
	for version := byte(1); version <= 2; version++ {
		client := w.clientFrom(trusted)
		say(t, client, header(t, version, "203.0.113.7:1234")+"hello")
		hear(t, client, "hello")
		client.Close()
		if l := w.lines(int(version))[version-1]; l.Client != "203.0.113.7:1234" {
			t.Errorf("got %+v", l)
		}
	}
}

// case B151: who is not trusted is served without a header, server-first apps too, and reset with one.
func TestUntrustedHeader(t *testing.T) {
	w := proxiedWorld(t, nil)
	w.serves("r1", true, says("220 "))
	plain := w.client()
	hear(t, plain, "220 ")
	say(t, plain, "EHLO")
	hear(t, plain, "EHLO")
	for version := byte(1); version <= 2; version++ {
		client := w.client()
		say(t, client, header(t, version, "203.0.113.7:1234"))
		wantReset(t, client)
		if l := w.lines(int(version))[version-1]; l.Reason != "proxy-header" {
			t.Errorf("got %+v", l)
		}
	}
}

// case B151: a header that comes byte by byte is one, too: the app never has all of it. What only begins like one is not.
func TestUntrustedHeaderInPieces(t *testing.T) {
	w := proxiedWorld(t, nil)
	w.serves("r1", true, echo)
	for version := byte(1); version <= 2; version++ {
		client := w.client()
		whole := header(t, version, "203.0.113.7:1234")
		for i := range len(signatures[2-version]) - 1 {
			say(t, client, whole[i:i+1])
			hear(t, client, whole[i:i+1])
		}
		say(t, client, whole[len(signatures[2-version])-1:])
		wantReset(t, client)
	}
	client := w.client()
	for _, said := range []string{"PROX", "IES ", "PROXY ", "\r\n"} {
		say(t, client, said)
		hear(t, client, said)
	}
}

// case B151: a trusted proxy without a header is reset, one that is silent at its deadline, while others are served.
func TestTrustedWithoutHeader(t *testing.T) {
	w := proxiedWorld(t, nil)
	w.serves("r1", true, says("hello"))
	silent := w.clientFrom(trusted)
	client := w.clientFrom(trusted)
	say(t, client, "GET / HTTP/1.1\r\n")
	wantReset(t, client)
	hear(t, w.client(), "hello")
	if testing.Short() {
		return
	}
	began := time.Now()
	wantReset(t, silent)
	if took := time.Since(began); took < headerFor/2 || took > 2*headerFor {
		t.Errorf("a silent one was kept for %s", took)
	}
}

// case B151: a load balancer's own connection is served while the app runs, and starts nothing.
func TestLocalHeader(t *testing.T) {
	w := proxiedWorld(t, nil)
	local := string(append(append([]byte{}, proxyproto.SIGV2...), 0x20, 0, 0, 0))
	check := w.clientFrom(trusted)
	say(t, check, local)
	wantReset(t, check)
	if n := w.app.Waiting(time.Now()); n != 0 {
		t.Errorf("%d wait for the app", n)
	}
	w.serves("r1", true, says("hello"))
	check = w.clientFrom(trusted)
	say(t, check, local)
	hear(t, check, "hello")
}

// tellsProxy is an app that answers with whom the PROXY header names, and then what the client said.
func tellsProxy(conn *net.TCPConn) {
	reader := bufio.NewReader(conn)
	header, err := proxyproto.Read(reader)
	if err != nil {
		return
	}
	said, _ := reader.ReadString('\n')
	fmt.Fprintf(conn, "%v %v %s", header.SourceAddr, header.DestinationAddr, said)
}

// case B152: the app gets each client's own address, its header before anything else.
func TestHeaderForTheApp(t *testing.T) {
	for _, version := range []string{"v1", "v2"} {
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprint(version, " direct ", direct), func(t *testing.T) {
				w := newWorld(t, func(a *conf.App) { a.Routes[0].ProxyProtocol = version })
				w.serves("r1", direct, tellsProxy)
				w.toldWhoIs("127.0.0.1")
				w.toldWhoIs("127.0.0.7")
			})
		}
	}
}

func (w *world) toldWhoIs(ip string) {
	w.Helper()
	client := w.clientFrom(ip)
	say(w.T, client, "hello\n")
	got, err := io.ReadAll(client)
	want := fmt.Sprintf("%v %v hello\n", client.LocalAddr(), client.RemoteAddr())
	if err != nil || string(got) != want {
		w.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// What a trusted proxy said is what the app is told.
func TestHeaderThrough(t *testing.T) {
	w := proxiedWorld(t, func(a *conf.App) { a.Routes[0].ProxyProtocol = "v2" })
	w.serves("r1", true, tellsProxy)
	client := w.clientFrom(trusted)
	say(t, client, header(t, 1, "203.0.113.7:1234")+"hello\n")
	if got, err := io.ReadAll(client); err != nil || string(got) != "203.0.113.7:1234 198.51.100.1:443 hello\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// HTTP fronts ask a connection who its client is.
func TestProxyListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := ProxyListener(inner, func(peer netip.Addr) bool { return peer.String() == trusted })
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go tell(conn)
		}
	}()
	askProxied(t, inner.Addr().String())
}

// Loops that accept tell the ones from the others as well, and end with the listener.
func TestProxyListenerOnLoops(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := ProxyListener(inner, func(peer netip.Addr) bool { return peer.String() == trusted }).(relay.SocketListener)
	closed := listener.OnLoops(func(s relay.Socket) {
		conn, err := s.Conn()
		if err != nil {
			t.Error(err)
			return
		}
		go tell(conn)
	}, func(conn net.Conn) { go tell(conn) }, func(err error, _ time.Duration) { t.Error(err) })
	if closed == nil {
		t.Skip("there are no loops on this system")
	}
	askProxied(t, inner.Addr().String())
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	<-closed
	if conn, err := net.Dial("tcp", inner.Addr().String()); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

// tell says who a client is, and what he has said.
func tell(conn net.Conn) {
	defer conn.Close()
	said, _ := bufio.NewReader(conn).ReadString('\n')
	fmt.Fprintf(conn, "%v %s", conn.RemoteAddr(), said)
}

func askProxied(t *testing.T, address string) {
	t.Helper()
	for ip, want := range map[string]string{trusted: "203.0.113.7:1234 GET /\n", "127.0.0.1": "PROXY"} {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
		conn, err := dialer.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patient))
		say(t, conn, header(t, 1, "203.0.113.7:1234")+"GET /\n")
		if got, err := io.ReadAll(conn); !strings.Contains(string(got), want) {
			t.Errorf("from %s: got %q, %v", ip, got, err)
		}
		conn.Close()
	}
}
