package l7

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/fields"
)

var proxy = proxies{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}

// spoofed is everything that a visitor might say about himself.
func spoofed() http.Header {
	return http.Header{
		"X-Forwarded-For": {"203.0.113.9", "192.0.2.7"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"outside.example.org"},
		"X-Forwarded-Port": {"8443"}, "X-Forwarded-Prefix": {"/outer"}, "X-Forwarded-User": {"root"}, "X-Real-Ip": {"203.0.113.9"},
		"Forwarded":       {"for=203.0.113.9"},
		"X_forwarded_for": {"6.6.6.6"}, "X-Forwarded_proto": {"gopher"}, "X_real_ip": {"6.6.6.6"}, "Remote_user": {"root"},
		"Proxy": {"http://evil"}, "Keep_me": {"yes"},
	}
}

func told(remote string, tls bool, h http.Header, prefix string) map[string]string {
	x := &Exchange{Host: "a.example.org:8080", Header: fields.From(h), Remote: remote, TLS: tls}
	o := proxy.outside(x)
	o.forward(&x.Header, prefix)
	got := map[string]string{"client": o.client}
	for _, f := range x.Header {
		got[f.Name] = strings.Join(slices.Collect(x.Header.All(f.Name)), "|")
	}
	return got
}

// cases B112, B113, B197
func TestForwarded(t *testing.T) {
	for _, c := range []struct {
		name, remote string
		tls          bool
		header       http.Header
		want         map[string]string
	}{
		{"a stranger says everything", "198.51.100.1:1234", false, spoofed(), map[string]string{
			"client": "198.51.100.1", "Keep_me": "yes",
			"X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.example.org:8080",
			"X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
		{"a trusted proxy says everything", "192.0.2.10:1234", false, spoofed(), map[string]string{
			"client": "203.0.113.9", "Keep_me": "yes",
			"X-Forwarded-For": "203.0.113.9, 192.0.2.7, 192.0.2.10", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "outside.example.org",
			"X-Forwarded-Port": "8443", "X-Forwarded-Prefix": "/outer/in", "X-Forwarded-User": "root", "X-Real-Ip": "203.0.113.9",
			"Forwarded": "for=203.0.113.9, for=192.0.2.10;proto=https",
		}},
		{"a trusted proxy says nothing, over TLS and IPv6", "[2001:db8::1]:1234", true, http.Header{}, map[string]string{
			"client":          "2001:db8::1",
			"X-Forwarded-For": "2001:db8::1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example.org:8080",
			"X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
		{"a trusted proxy says nonsense", "192.0.2.10:1", false, http.Header{"X-Forwarded-Proto": {"gopher"}, "X-Forwarded-For": {"unknown"}}, map[string]string{
			"client":          "192.0.2.10",
			"X-Forwarded-For": "unknown, 192.0.2.10", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.example.org:8080",
			"X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
		{"a trusted proxy names a network card", "192.0.2.10:1", false, http.Header{"X-Forwarded-For": {`fe80::1%a" "b`}}, map[string]string{
			"client":          "fe80::1",
			"X-Forwarded-For": `fe80::1%a" "b, 192.0.2.10`, "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.example.org:8080",
			"X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
		{"IPv4 in IPv6", "[::ffff:192.0.2.10]:1", false, http.Header{"X-Forwarded-For": {"203.0.113.9"}}, map[string]string{
			"client":          "203.0.113.9",
			"X-Forwarded-For": "203.0.113.9, 192.0.2.10", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.example.org:8080",
			"X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
		{"a unix socket", "@", false, spoofed(), map[string]string{
			"client": "", "Keep_me": "yes",
			"X-Forwarded-Proto": "http", "X-Forwarded-Host": "a.example.org:8080", "X-Forwarded-Port": "8080", "X-Forwarded-Prefix": "/in",
		}},
	} {
		if got := told(c.remote, c.tls, c.header, "/in"); !maps.Equal(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
	}
}

func TestPortFollowsTheScheme(t *testing.T) {
	for _, c := range []struct{ host, scheme, want string }{
		{"a", "http", "80"}, {"a", "https", "443"}, {"a:8443", "https", "8443"}, {"[::1]:9", "http", "9"}, {"[::1]", "http", "80"},
	} {
		o := outside{host: c.host, scheme: c.scheme}
		if got := o.port(); got != c.want {
			t.Errorf("%s over %s: got %s", c.host, c.scheme, got)
		}
	}
}

// cases B109, B110
func TestHopByHop(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	seen := make(chan http.Header, 1)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		w.Header().Set("Connection", "X-Secret")
		w.Header().Set("X-Secret", "1")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.Header().Set("X-Kept", "1")
	})
	back := h.raw("GET / HTTP/1.1\r\nHost: x\r\nConnection:\r\nConnection: close, x-forwarded-for, X-Secret\r\nX-Secret: 1\r\n" +
		"X-Forwarded-For: 203.0.113.9\r\nKeep-Alive: 1\r\nProxy-Connection: x\r\nProxy-Authorization: x\r\nTE: gzip, trailers\r\n" +
		"Upgrade: h2c\r\nHTTP2-Settings: x\r\nX-Kept: 1\r\n\r\n")
	got := <-seen
	names := slices.Sorted(maps.Keys(got))
	want := []string{"Connection", "Te", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Kept"}
	if !slices.Equal(names, want) {
		t.Errorf("the app saw %v, want %v", names, want)
	}
	if got.Get("Te") != "trailers" || got.Get("Connection") != "TE" || got.Get("X-Forwarded-For") != "127.0.0.1" {
		t.Errorf("TE is %q, X-Forwarded-For %q", got.Get("Te"), got.Get("X-Forwarded-For"))
	}
	for name, there := range map[string]bool{"X-Secret": false, "Keep-Alive": false, "X-Kept": true} {
		if strings.Contains(back, "\r\n"+name+":") != there {
			t.Errorf("%s in the answer: want %v: %q", name, there, back)
		}
	}
}

// case B113
func TestVisitorOnAUnixSocket(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if got, there := r.Header["X-Forwarded-For"]; there {
			t.Errorf("X-Forwarded-For is %q", got)
		}
	})
	path := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	go h.front.Serve(l)
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
	r, _ := http.NewRequest(http.MethodGet, "http://x/", nil)
	r.Header.Set("X-Forwarded-For", "6.6.6.6")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("got %d", response.StatusCode)
	}
}
