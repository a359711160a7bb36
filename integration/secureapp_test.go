package integration

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/trust/issuer"
)

// secrets are an authority and what it has issued for the demo, as files.
type secrets struct{ dir string }

func newSecrets(t *testing.T, names ...string) secrets {
	t.Helper()
	s, by := secrets{t.TempDir()}, issuer.New(t)
	pair := by.Issue(names...)
	s.write(t, "ca.pem", by.Roots)
	s.write(t, "good.pem", by.Roots)
	s.write(t, "other.pem", issuer.New(t).Roots)
	s.write(t, "app.crt", pair.Cert)
	s.write(t, "app.key", pair.Key)
	return s
}

func (s secrets) file(name string) string { return filepath.Join(s.dir, name) }

func (s secrets) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.file(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s secrets) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.file(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// app is one line of an app that speaks https, known by an authority.
func (s secrets) app(name, ca, keys string) string {
	return fmt.Sprintf("\n  %s: {route: {host: %[1]s.test}, protocol: https, tls: {ca: %q%s, env: {DEMO_TLS_CERT: {file: %q}, DEMO_TLS_KEY: {file: %q}}}",
		name, s.file(ca), keys, s.file("app.crt"), s.file("app.key"))
}

func TestSecureApp(t *testing.T) { onEachReach(t, secureApp) }

// An app that speaks https alone is started, asked whether it is ready, served, carried on and brought back as any other.
func secureApp(t *testing.T, reach string) {
	s := newSecrets(t, "demo")
	f := launch(t, setup{Reach: reach, Apps: s.app("hello", "good.pem", ", server_name: demo}, ready: {http: /healthz}, health: {http: /healthz, interval: 1s}") +
		s.app("bare", "good.pem", "}")})
	v := f.visitor(t)
	for _, app := range []string{"hello", "bare"} {
		if got := v.get(t, app, "/id"); got != f.row(t, app).ID {
			t.Errorf("%s: served by %q", app, got)
		}
		v.socket(t, app).echo(t, "under TLS")
		got, err := v.send(http.MethodPost, app, "/count?key=a", nil)
		if served(t)(got, err) != "1" {
			t.Errorf("%s: got %+v", app, got)
		}
	}

	held := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "hello", "/count?wait=2s", nil)
		return reply{got, err}
	})
	eventually(t, "a request on its way", func() string {
		if f.row(t, "hello").Leases == 0 {
			return "none"
		}
		return ""
	})
	old := f.row(t, "hello").ID
	f.outside.remove(f.only(t, "hello").ID)
	back := settled(t, "the request whose replica was removed", held)
	served(t)(back.answer, back.err)
	f.await(t, 0, "hello", journal.ReplicaReaped)
	if got := v.get(t, "hello", "/id"); got == old {
		t.Error("served by the removed replica")
	}
	f.never(t, 0, "bare", journal.ReplicaReaped, journal.RestartDetected)
}

func TestUnknownApp(t *testing.T) { onEachReach(t, unknownApp) }

// A certificate that does not verify is told, and nothing else comes of it; one that does not when the app starts is a start
// that failed. What the file of authorities holds is read again with a reload.
func unknownApp(t *testing.T, reach string) {
	s := newSecrets(t, "demo")
	f := launch(t, setup{Reach: reach, Apps: s.app("hello", "ca.pem", "}, ready: {http: /healthz}, health: {http: /healthz, interval: 1s, action: restart}") +
		s.app("never", "other.pem", "}, ready: {http: /healthz, timeout: 2s}, hold: {max: 20s}")})
	v := f.visitor(t)
	replica := v.get(t, "hello", "/id")
	reload := func(ca string) {
		t.Helper()
		since := f.now(t)
		s.write(t, "ca.pem", s.read(t, ca))
		f.process.signal(t, syscall.SIGHUP)
		f.await(t, since, "", journal.ConfigApplied)
	}
	reload("other.pem")
	for range 20 {
		got, err := v.send(http.MethodGet, "hello", "/id", nil)
		if err != nil || got.status != http.StatusBadGateway || got.header.Get("Fairlead-Reason") != "app-certificate" {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
	if row := f.row(t, "hello"); row.ID != replica || row.Suspect || !strings.Contains(row.Trouble, "certificate") {
		t.Errorf("got %+v", row)
	}
	got, err := v.send(http.MethodGet, "never", "/id", nil)
	failed := f.app(t, "never").Failure
	if err != nil || got.status != http.StatusServiceUnavailable || failed == nil || !strings.Contains(failed.Detail, "failed to verify certificate") {
		t.Errorf("got %+v, %v, failure %+v", got, err, failed)
	}
	reload("good.pem")
	if got := v.get(t, "hello", "/id"); got != replica || f.row(t, "hello").Trouble != "" {
		t.Errorf("served by %s, want %s: %+v", got, replica, f.row(t, "hello"))
	}
	f.never(t, 0, "hello", journal.ReplicaReaped, journal.RestartDetected, journal.ReplicaDrained)
}

// An app at a fixed address is known by the name in its URL. One that comes back with another certificate is there, and is
// not asked.
func TestSecureUpstream(t *testing.T) {
	t.Parallel()
	s := newSecrets(t, "localhost")
	server := saidUnderTLS(t, "127.0.0.1:0", issuer.Pair{Cert: s.read(t, "app.crt"), Key: s.read(t, "app.key")})
	port := server.Listener.Addr().(*net.TCPAddr).Port
	f := launch(t, setup{Apps: fmt.Sprintf(`
  hello: {upstream: "https://localhost:%d", image: null, route: {host: hello.test}, tls: {ca: %q}, ready: {http: /up}}
  other: {upstream: "https://127.0.0.1:%[1]d", image: null, route: {host: other.test}, tls: {ca: %[2]q}}
  any: {upstream: "https://127.0.0.1:%[1]d", image: null, route: {host: any.test}, tls: {verify: false}}`, port, s.file("good.pem"))})
	v := f.visitor(t)
	if got := v.get(t, "hello", "/a/b"); got != "localhost hello.test /a/b" {
		t.Errorf("got %q", got)
	}
	if got := v.get(t, "any", "/a"); got != "any.test /a" {
		t.Errorf("got %q", got)
	}
	unknown := func(app string) {
		t.Helper()
		got, err := v.send(http.MethodGet, app, "/", nil)
		if err != nil || got.status != http.StatusBadGateway || got.header.Get("Fairlead-Reason") != "app-certificate" {
			t.Errorf("%s: got %+v, %v", app, got, err)
		}
	}
	unknown("other")
	server.CloseClientConnections()
	server.Close()
	saidUnderTLS(t, server.Listener.Addr().String(), issuer.New(t).Issue("localhost"))
	unknown("hello")
	if got := v.get(t, "any", "/b"); got != "any.test /b" {
		t.Errorf("got %q", got)
	}
}

// saidUnderTLS is a server that says what it was asked for, and by which name.
func saidUnderTLS(t *testing.T, address string, pair issuer.Pair) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, TLS: pair.Server(t), Config: &http.Server{
		ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, strings.TrimSpace(r.TLS.ServerName+" "+r.Host+" "+r.URL.Path))
		}),
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}
