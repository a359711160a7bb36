package l7

import (
	"crypto/tls"
	"encoding/base64"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// papers are certificates that exist by name alone.
type papers struct {
	has    map[string]bool
	covers string // host that the connection of any server covers
	admits bool
}

func (p *papers) Has(host string) bool       { return p.has[host] }
func (p *papers) Covers(_, host string) bool { return host == p.covers }
func (p *papers) Admits(file string, _ *tls.ConnectionState) bool {
	return p.admits && file == "members"
}

func (p *papers) Challenge(host, token string) (string, bool) {
	return "the answer", host == "example.com" && token == "known"
}

// secured is a house with two apps: one with hosts, one for everything else.
func secured(t *testing.T, p *papers, edit func(*conf.Config)) *house {
	t.Helper()
	h := newHouse(t, func(c *conf.Config) {
		c.Listen.HTTPS = []string{":8443"}
		app := appConfig()
		app.Routes = []conf.Route{
			{Host: "example.com", Path: "/"}, {Host: "other.example.com", Path: "/"}, {Host: "example.com", Path: "/members", ClientCA: "members"},
			{Host: "example.com", Path: "/sub", Strip: true},
		}
		c.Apps["named"] = app
		if edit != nil {
			edit(c)
		}
	})
	h.front.certificates = p
	for _, app := range []string{"hello", "named"} {
		h.replica(app, "r-"+app, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/own" {
				w.Header().Set("Strict-Transport-Security", "max-age=1")
			}
			w.Header().Set("X-Client-Cert", r.Header.Get("Client-Cert"))
			_, _ = io.WriteString(w, app+" "+r.URL.Path)
		})
	}
	return h
}

// Case B185 and the redirect: who has a certificate is reached over TLS, but for an authority's questions.
func TestRedirectToTLS(t *testing.T) {
	h := secured(t, &papers{has: map[string]bool{"example.com": true}}, nil)
	for _, c := range []struct {
		method, host, path string
		status             int
		location           string
	}{
		{"GET", "example.com", "/a%2Fb?q=1", 308, "https://example.com:8443/a%2Fb?q=1"},
		{"POST", "Example.Com:8080", "/", 308, "https://example.com:8443/"},
		{"GET", "example.com", "/sub", 308, "https://example.com:8443/sub"},
		{"GET", "other.example.com", "/", 200, ""}, // has no certificate yet
		{"GET", "192.0.2.1", "/", 200, ""},
		{"GET", "example.com", "/.well-known/acme-challenge/unknown", 200, ""},
		{"GET", "example.com", "/.well-known/acme-challenge/../x", 308, "https://example.com:8443/.well-known/acme-challenge/../x"},
	} {
		a := h.do(c.method, c.path, nil, "Host", c.host)
		if a.StatusCode != c.status || a.Header.Get("Location") != c.location {
			t.Errorf("%s %s%s: got %d %q", c.method, c.host, c.path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if a := h.get("/.well-known/acme-challenge/known", "Host", "example.com"); a.StatusCode != 200 || a.body != "the answer" {
		t.Errorf("challenge: got %d %q", a.StatusCode, a.body)
	}
	if a := h.get("/.well-known/acme-challenge/unknown", "Host", "example.com"); a.body != "named /.well-known/acme-challenge/unknown" {
		t.Errorf("an unknown token did not reach the app: %q", a.body)
	}
}

func TestRedirectIsConfigured(t *testing.T) {
	p := &papers{has: map[string]bool{"example.com": true}}
	allowed := secured(t, p, func(c *conf.Config) { c.Apps["named"].HTTPS = "allow" })
	if a := allowed.get("/", "Host", "example.com"); a.StatusCode != 200 {
		t.Errorf("allow: got %d", a.StatusCode)
	}
	public := secured(t, p, func(c *conf.Config) { c.Listen.Public.HTTPS, c.Apps["hello"].HTTPS = 443, "redirect" })
	for host, want := range map[string]string{
		"example.com": "https://example.com/", "any.example.net:80": "https://any.example.net/", "[2001:db8::1]": "https://[2001:db8::1]/",
	} {
		if a := public.get("/", "Host", host); a.StatusCode != 308 || a.Header.Get("Location") != want {
			t.Errorf("redirect of %s: got %d %q", host, a.StatusCode, a.Header.Get("Location"))
		}
	}
	for _, nobody := range []string{"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n"} {
		if back := public.raw(nobody); !strings.HasPrefix(back, "HTTP/1.1 400 ") {
			t.Errorf("redirect of who names no host: got %q", back)
		}
	}
	behind := secured(t, p, func(c *conf.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	if a := behind.get("/", "Host", "example.com", "X-Forwarded-Proto", "https"); a.StatusCode != 200 {
		t.Errorf("over TLS up to a trusted proxy: got %d", a.StatusCode)
	}
}

func TestMisdirectedRequests(t *testing.T) {
	h := secured(t, &papers{covers: "other.example.com"}, nil)
	server, client := testTLS(t)
	addr := h.serveTLS(server)
	for host, want := range map[string]int{"example.com": 200, "EXAMPLE.com:8443": 200, "other.example.com": 200, "third.example.com": 421, "192.0.2.1": 421} {
		response, body := secureGetAs(t, addr, client, host, "/")
		if response.StatusCode != want {
			t.Errorf("%s: got %d %q, want %d", host, response.StatusCode, body, want)
		}
		if want == 421 && response.Header.Get("Fairlead-Reason") != "misdirected" {
			t.Errorf("%s: the reason is %q", host, response.Header.Get("Fairlead-Reason"))
		}
	}
	h.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	h.configure()
	if response, _ := secureGetAs(t, addr, client, "third.example.com", "/"); response.StatusCode != 200 {
		t.Errorf("by a trusted proxy: got %d", response.StatusCode)
	}
}

func TestClientCertificateIsAskedForAtTheRoute(t *testing.T) {
	p := &papers{covers: "example.com"}
	h := secured(t, p, nil)
	server, client := testTLS(t)
	addr := h.serveTLS(server)
	if response, _ := secureGetAs(t, addr, client, "example.com", "/members/x"); response.StatusCode != 403 || response.Header.Get("Fairlead-Reason") != "client-certificate" {
		t.Errorf("without: got %d", response.StatusCode)
	}
	if response, _ := secureGetAs(t, addr, client, "example.com", "/"); response.StatusCode != 200 {
		t.Errorf("beside the route: got %d", response.StatusCode)
	}
	client.ServerName, client.InsecureSkipVerify = "other.example.com", true // whose handshake did not ask
	if response, _ := secureGetAs(t, addr, client, "example.com", "/members/x"); response.StatusCode != 421 {
		t.Errorf("over another host's connection: got %d", response.StatusCode)
	}
	if a := h.get("/members/x", "Host", "example.com"); a.StatusCode != 403 {
		t.Errorf("without TLS: got %d", a.StatusCode)
	}
}

func TestAppIsToldOfItsClientsCertificate(t *testing.T) {
	h := secured(t, &papers{admits: true}, nil)
	server, client := testTLS(t)
	server.ClientAuth = tls.RequestClientCert
	client.Certificates = server.Certificates
	addr := h.serveTLS(server)
	raw := server.Certificates[0].Certificate[0]
	response, _ := secureGetAs(t, addr, client, "example.com", "/members/x", "Client-Cert: :forged:")
	if got, want := response.Header.Get("X-Client-Cert"), ":"+base64.StdEncoding.EncodeToString(raw)+":"; got != want {
		t.Errorf("got %q", got)
	}
	response, _ = secureGetAs(t, addr, client, "example.com", "/", "Client-Cert: :forged:")
	if got := response.Header.Get("X-Client-Cert"); got != "" {
		t.Errorf("a forged one came through: %q", got)
	}
}

func TestStrictTransportSecurity(t *testing.T) {
	h := secured(t, &papers{covers: "192.0.2.1"}, func(c *conf.Config) { c.Apps["named"].HSTS = 24 * time.Hour })
	server, client := testTLS(t)
	addr := h.serveTLS(server)
	for target, want := range map[string]string{"example.com /": "max-age=86400", "example.com /own": "max-age=1", "example.com /members": "max-age=86400", "192.0.2.1 /": ""} {
		host, path, _ := strings.Cut(target, " ")
		response, _ := secureGetAs(t, addr, client, host, path)
		if got := strings.Join(response.Header.Values("Strict-Transport-Security"), " and "); got != want {
			t.Errorf("%s: got %q, want %q", target, got, want)
		}
	}
	if a := h.get("/", "Host", "example.com"); a.Header.Get("Strict-Transport-Security") != "" {
		t.Error("said without TLS")
	}
}
