package integration

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
)

func TestL4OnlyUDP(t *testing.T) { onEachReach(t, onlyUDP) }

// An app that has no TCP port at all shows by an answer over UDP that it is ready, and nothing of a client's first
// datagrams is lost before.
func onlyUDP(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  echo:
    route: {udp: "127.0.0.1:0", port: 7001}
    port: null
    ready: {udp: true, send: "ready?", expect: "ready?"}
    env: {DEMO_UDP: "7001", DEMO_BOOT: 1s}`})
	conn := f.dial(t, "udp")
	for i := range 20 {
		fmt.Fprintf(conn, "%d", i)
	}
	answer := make([]byte, 100)
	for i := range 20 {
		if n, err := conn.Read(answer); err != nil || string(answer[:n]) != fmt.Sprint(i) {
			t.Fatalf("got %q, %v, want %d", answer[:n], err, i)
		}
	}
}

func TestL4Drains(t *testing.T) { onEachReach(t, drainsL4) }

// An operator's restart: who is connected goes on until `drain` (2 s here) is over, and is reset then; who comes
// meanwhile is served by the replacement.
func drainsL4(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: echoes("")})
	conn := f.dial(t, "tcp")
	old, err := say(conn, "id\n")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := bounded()
	defer cancel()
	if _, err := f.admin.Restart(ctx, "echo"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new connection at the replacement", func() string {
		if now := f.asked(t, "tcp", "id\n"); now == strings.TrimSpace(old) {
			return "still " + now
		}
		return ""
	})
	if got, err := say(conn, "still"); err != nil || got != "still" {
		t.Errorf("the old connection in the drain: %q, %v", got, err)
	}
	if _, err := io.ReadAll(conn); err != nil && !isReset(err) {
		t.Errorf("the old connection at its end: %v", err)
	}
	eventually(t, "the old container", func() string {
		if n := len(f.containers(t, "echo")); n != 1 {
			return fmt.Sprint(n, " containers")
		}
		return ""
	})
}

func TestL4WakeOn(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: echoes(`
    wake_on: "HELLO"`)})
	scan := f.dial(t, "tcp")
	fmt.Fprint(scan, "GET / HTTP/1.1\r\n\r\n")
	if _, err := io.ReadAll(scan); err == nil || !isReset(err) {
		t.Errorf("a scanner: %v", err)
	}
	if n := len(f.containers(t, "echo")); n != 0 {
		t.Fatalf("a scanner started %d containers", n)
	}
	if got := f.asked(t, "tcp", "HELLO"); got != "HELLO" {
		t.Errorf("got %q", got)
	}
}

func TestL4ProxyProtocol(t *testing.T) {
	t.Parallel()
	apps := `
  hello: {route: {host: hello.test}}
trusted_proxies: [127.0.0.9]`
	f := launch(t, setup{Apps: apps})
	f.visitor(t).get(t, "hello", "/id")
	since := f.now(t)
	text, err := os.ReadFile(f.file())
	if err != nil {
		t.Fatal(err)
	}
	f.rewrite(t, strings.Replace(string(text), `listen: {`, `listen: {proxy_protocol: "127.0.0.1:0", `, 1))
	f.await(t, since, "", journal.ConfigApplied)
	const said = "PROXY TCP4 203.0.113.7 198.51.100.1 1234 443\r\n"
	if got := f.proxied(t, "127.0.0.9", said); got.StatusCode != http.StatusOK || !strings.Contains(body(t, got), "203.0.113.7") {
		t.Errorf("from a trusted proxy: %s", got.Status)
	}
	if got := f.proxied(t, "127.0.0.1", ""); got.StatusCode != http.StatusOK {
		t.Errorf("without a header: %s", got.Status)
	}
	if got := f.proxied(t, "127.0.0.1", said); got.StatusCode != http.StatusBadRequest {
		t.Errorf("case B151: a header from somebody else: %s", got.Status)
	}
}

// proxied asks over HTTP from an address, with a header before the request.
func (f *fairlead) proxied(t *testing.T, from, header string) *http.Response {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", f.process.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "%sGET /echo HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n", header)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
