package l7

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fairlead/fairlead/trust"
	"github.com/fairlead/fairlead/trust/issuer"
)

// secureHouse is one whose app speaks https, by the name app and of an authority.
type secureHouse struct {
	*house
	by *issuer.Issuer
}

func newSecureHouse(t *testing.T) *secureHouse {
	t.Helper()
	h := &secureHouse{newHouse(t, nil), issuer.New(t)}
	h.know(trust.Settings{Name: "app", Roots: h.by.Roots})
	return h
}

// know says what the app is known by, as a reload does.
func (h *secureHouse) know(by trust.Settings) {
	h.t.Helper()
	config, err := by.Config()
	if err != nil {
		h.t.Fatal(err)
	}
	policy := *h.app("hello").Snapshot().Policy
	policy.TLS = config
	h.app("hello").SetPolicy(policy)
}

// shownApp is an app over TLS, and what it shows at the moment.
type shownApp struct {
	shows   atomic.Pointer[tls.Config]
	dialled atomic.Int32
}

// secureReplica is a ready replica with a certificate.
func (h *secureHouse) secureReplica(id string, pair issuer.Pair, handler http.HandlerFunc) *shownApp {
	h.t.Helper()
	app := &shownApp{}
	app.shows.Store(pair.Server(h.t))
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			app.dialled.Add(1)
		}
	}
	server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return app.shows.Load(), nil }}
	server.StartTLS()
	h.t.Cleanup(server.Close)
	h.t.Cleanup(server.CloseClientConnections)
	h.ready("hello", id, server.Listener.Addr().String())
	return app
}

func TestSecureAppIsServed(t *testing.T) {
	h := newSecureHouse(t)
	h.secureReplica("r1", h.by.Issue("app"), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.TLS.ServerName+" "+r.Proto+" "+r.Method+" "+r.RequestURI+" "+r.Host)
		w.Header().Set("Location", "https://app.internal/there")
		w.WriteHeader(http.StatusFound)
		_, _ = w.Write(body)
	})
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB
	for _, body := range []io.Reader{nil, strings.NewReader("small"), bytes.NewReader(big), struct{ io.Reader }{bytes.NewReader(big)}} {
		a := h.do("POST", "/a%2Fb?x=1", body, "Host", "example.com")
		if a.StatusCode != 302 || a.Header.Get("X-Seen") != "app HTTP/1.1 POST /a%2Fb?x=1 example.com" || a.err != nil ||
			a.Header.Get("Location") != "https://app.internal/there" {
			t.Errorf("got %v, %d bytes, %v", a.Response, len(a.body), a.err)
		}
	}
	h.idle("hello")
}

func TestSecureSocket(t *testing.T) {
	h := newSecureHouse(t)
	l := listen(t, func(conn net.Conn, _ *bufio.Reader) {
		secure := tls.Server(conn, h.by.Issue("app").Server(t))
		defer secure.Close()
		socketApp(echo)(secure, bufio.NewReader(secure))
	})
	h.ready("hello", "r1", l.Addr().String())
	conn, r, back := h.socket(handshake)
	if !strings.HasPrefix(back, "HTTP/1.1 101 ") {
		t.Fatalf("got %q", back)
	}
	for _, text := range []string{"ahoy", strings.Repeat("long", 50_000)} {
		go io.WriteString(conn, text)
		got := make([]byte, len(text))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != text {
			t.Fatalf("got %.20q, %v", got, err)
		}
	}
	conn.Close()
	h.idle("hello")
}

// A certificate that does not verify is told, to visitors and to operators, and says nothing against the replica: one attempt,
// no look, no other try. It is over as soon as the certificate is another.
func TestUnknownCertificate(t *testing.T) {
	h := newSecureHouse(t)
	for name, pair := range map[string]issuer.Pair{
		"not for it": h.by.Issue("other"), "expired": h.by.Expired("app"), "certificate signed by unknown": issuer.New(t).Issue("app"),
	} {
		app := h.secureReplica("r1", pair, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") })
		for i, method := range []string{"GET", "POST"} {
			a := h.do(method, "/", nil)
			if a.StatusCode != 502 || a.Header.Get(reasonHeader) != "app-certificate" || int(app.dialled.Load()) != i+1 {
				t.Errorf("%s: %s: got %v, %s after %d connections", name, method, a.Response, a.body, app.dialled.Load())
			}
		}
		row, _ := h.app("hello").Snapshot().Row("r1")
		if said := row.Trouble(); !strings.Contains(said, "failed to verify certificate") || row.Suspect() != "" || h.reports.count() > 0 {
			t.Errorf("%s: operators read %q, suspect %q, %d reports", name, said, row.Suspect(), h.reports.count())
		}
		app.shows.Store(h.by.Issue("app").Server(t))
		if a := h.get("/"); a.body != "served" || row.Trouble() != "" {
			t.Errorf("%s: then: got %v, trouble %q", name, a.Response, row.Trouble())
		}
		h.app("hello").Remove("r1", 0)
	}
	h.idle("hello")
}

// A reload that says otherwise holds from the next request on, for connections that are kept, too.
func TestKnownByAnotherName(t *testing.T) {
	h := newSecureHouse(t)
	h.secureReplica("r1", h.by.Issue("app"), named("r1"))
	for _, step := range []struct {
		by   trust.Settings
		want int
	}{
		{trust.Settings{Name: "app", Roots: h.by.Roots}, 200},
		{trust.Settings{Name: "other", Roots: h.by.Roots}, 502},
		{trust.Settings{Unverified: true}, 200},
		{trust.Settings{Roots: h.by.Roots}, 200},
	} {
		h.know(step.by)
		if a := h.get("/"); a.StatusCode != step.want {
			t.Errorf("%+v: got %v", step.by, a.Response)
		}
	}
}

// An app that speaks no TLS, or wants a certificate of us, has said so: its replica is there.
func TestNoTLS(t *testing.T) {
	h := newSecureHouse(t)
	h.replica("hello", "r1", named("r1"))
	if a := h.get("/"); a.StatusCode != 502 || a.Header.Get(reasonHeader) != "app-tls" {
		t.Errorf("got %v", a.Response)
	}
	h.app("hello").Remove("r1", 0)
	asking := h.by.Issue("app").Server(t)
	asking.ClientAuth, asking.ClientCAs = tls.RequireAndVerifyClientCert, h.by.Pool()
	h.secureReplica("r2", h.by.Issue("app"), named("r2")).shows.Store(asking)
	if a := h.get("/"); a.StatusCode != 502 || a.Header.Get(reasonHeader) != "app-tls" || h.reports.count() > 0 {
		t.Errorf("got %v, %d reports", a.Response, h.reports.count())
	}
	ours := h.by.Issue("fairlead")
	h.know(trust.Settings{Name: "app", Roots: h.by.Roots, Cert: ours.Cert, Key: ours.Key})
	if a := h.get("/"); a.StatusCode != 200 {
		t.Errorf("with a certificate: got %v", a.Response)
	}
}
