package integration

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
)

// P7, case B178: one reload takes an address from an app alone to HTTPS with the app beside it, makes it wider, and takes
// it back, and who is connected stays so.
func TestReloadOnTheSamePort(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	cert, key := filepath.Join(dir, "a.crt"), filepath.Join(dir, "a.key")
	writeOwnCertificate(t, cert, key)
	app := func(route string) string {
		return fmt.Sprintf(`
  files: {route: {host: files.example.org}}
  echo: {route: {%s, port: 7000}, env: {DEMO_TCP: "7000"}, replicas: {min: 1}}
`, route)
	}
	at := func(host string) string { return fmt.Sprintf("%s:%d", host, port) }
	top := fmt.Sprintf("tls: {certs: {cert: %q, key: %q}}", cert, key)
	alone := setup{Top: top, Apps: app(fmt.Sprintf("tcp: %q", at("127.0.0.1")))}
	shared := func(host string) setup {
		return setup{Top: top, Listen: fmt.Sprintf(`, https: %q`, at(host)), Apps: app(fmt.Sprintf("tcp: %q, sni: echo.example.org", at(host)))}
	}

	f := launch(t, alone)
	first := connectTo(t, at("127.0.0.1"))
	echoes := func(what string) {
		t.Helper()
		if got, err := say(first, what); got != what || err != nil {
			t.Errorf("who was connected, %s: got %q, %v", what, got, err)
		}
	}
	echoes("before")
	for _, step := range []struct {
		what  string
		setup setup
		https bool
	}{
		{"shared", shared("127.0.0.1"), true}, {"wider", shared(""), true}, {"narrower", shared("127.0.0.1"), true}, {"alone", alone, false},
	} {
		since := f.now(t)
		step.setup.write(t, f)
		f.await(t, since, "", journal.ConfigApplied)
		echoes(step.what)
		if hello, got := echoOfHello(t, port, "echo.example.org"); !bytes.Equal(hello, got) {
			t.Errorf("%s: the app got %q, want %q", step.what, got, hello)
		}
		if step.https {
			if got := curl(t, port, cert, "https://files.example.org/"); !strings.HasPrefix(got, "200 ") {
				t.Errorf("%s: HTTPS says %s", step.what, got)
			}
		}
	}
	last := connectTo(t, at("127.0.0.1"))
	if got, err := say(last, "no TLS"); got != "no TLS" || err != nil {
		t.Errorf("alone again: got %q, %v", got, err)
	}
}

func connectTo(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn
}
