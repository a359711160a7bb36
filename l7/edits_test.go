package l7

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

func TestHeaderEdits(t *testing.T) { overProtocols(t, testHeaderEdits) }

func testHeaderEdits(t *testing.T, newHouse opener) {
	h := newHouse(t, func(c *conf.Config) {
		a := c.Apps["hello"]
		a.Routes = []conf.Route{{Path: "/a", Strip: true}}
		a.RequestID = true
		a.Headers.Request = conf.Edits{
			Set:    map[string]string{"X-Who": "{client} of {scheme}://{host}{path} by {method} at {app}", "X-Set": "{\"a\": 1}", "X-Id": "{request_id}", "X-Real-IP": "{client}"},
			Add:    map[string]string{"X-Add": "mine"},
			Remove: []string{"x-gone", "X-Forwarded-Port"},
		}
		a.Headers.Response = conf.Edits{
			Set:    map[string]string{"Server": "{replica}"},
			Add:    map[string]string{"Set-Cookie": "a=b"},
			Remove: []string{"X-Powered-By"},
		}
	})
	var app http.Header
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		app = r.Header
		w.Header().Set("X-Powered-By", "secret")
		w.Header().Set("Server", "old")
		w.Header().Set("Set-Cookie", "own=1")
	})
	ask := []string{"Host", "example.org", "X-Gone", "1", "X-GONE", "2", "X-Set", "theirs", "X-Add", "theirs", "X-Real-IP", "192.0.2.9"}
	if h.proto == "HTTP/1.1" {
		ask = append(ask, "Connection", "X-Set, X-Who") // the others have none
	}
	got := h.get("/a/b?x=1", ask...)
	for name, want := range map[string][]string{
		"X-Who": {"127.0.0.1 of " + h.scheme() + "://example.org/a/b by GET at hello"}, "X-Set": {`{"a": 1}`}, "X-Add": {"theirs", "mine"},
		"X-Gone": nil, "X-Forwarded-Port": nil, "X-Id": {got.Header.Get("X-Request-Id")}, "X-Real-Ip": {"127.0.0.1"},
		"X-Forwarded-Prefix": {"/a"},
	} {
		if !slices.Equal(app[name], want) {
			t.Errorf("the app gets %s: %q, want %q", name, app[name], want)
		}
	}
	for name, want := range map[string][]string{"Server": {"r1"}, "X-Powered-By": nil, "Set-Cookie": {"own=1", "a=b"}} {
		if !slices.Equal(got.Header[name], want) {
			t.Errorf("the visitor gets %s: %q, want %q", name, got.Header[name], want)
		}
	}
}

// An app that wants to be called by its own name is; the visitor's is told beside it.
func TestHostIsSet(t *testing.T) { overProtocols(t, testHostIsSet) }

func testHostIsSet(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.Headers.Host = "api.example.net:8443" }))
	var host, forwarded string
	h.replica("hello", "r1", func(_ http.ResponseWriter, r *http.Request) {
		host, forwarded = r.Host, r.Header.Get("X-Forwarded-Host")
	})
	h.get("/", "Host", "example.org")
	if host != "api.example.net:8443" || forwarded != "example.org" {
		t.Errorf("the app is called %q for %q", host, forwarded)
	}
}

// What conf lets through can be filled in.
func TestEveryPlaceholderIsKnown(t *testing.T) {
	s := &story{route: &route{app: &app{name: "hello"}}, x: &Exchange{Method: "GET"}, asked: target{path: "/x"}}
	s.outside.client, s.outside.host, s.outside.scheme = "192.0.2.1", "example.org", "https"
	s.record.replica, s.record.id = "r1", "7"
	for _, word := range conf.Placeholders {
		value := templateOf("<{" + word + "}>")
		if got := value.filled(s); got == "<>" || strings.Contains(got, "{") {
			t.Errorf("%s: %q", word, got)
		}
	}
}

func TestRequestID(t *testing.T) { overProtocols(t, testRequestID) }

func testRequestID(t *testing.T, newHouse opener) {
	made := regexp.MustCompile(`^[0-9a-f]{32}$`)
	for _, c := range []struct {
		trusted bool
		given   string
		kept    bool
	}{
		{false, "", false}, {false, "abc", false}, {true, "abc", true}, {true, "", false},
		{true, `a"b`, false}, {true, strings.Repeat("x", 129), false},
	} {
		h := newHouse(t, func(config *conf.Config) {
			config.Apps["hello"].RequestID = true
			if c.trusted {
				config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
			}
		})
		h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header["X-Request-Id"]) })
		got := h.get("/", "X-Request-Id", c.given)
		id := got.Header.Get("X-Request-Id")
		if c.kept && id != c.given || !c.kept && !made.MatchString(id) {
			t.Errorf("%+v: %q", c, id)
		}
		if got.body != "["+id+"]" || !strings.Contains(h.onlyLine(), `"request_id":"`+id+`"`) {
			t.Errorf("%+v: %s is not what the app got, %s, and the log says, %s", c, id, got.body, h.onlyLine())
		}
	}
}

func TestRefusalHasItsRequestID(t *testing.T) { overProtocols(t, testRefusalHasItsRequestID) }

func testRefusalHasItsRequestID(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.RequestID, a.MaxBody = true, 1 }))
	if got := h.do("POST", "/", strings.NewReader("too long")); got.Header.Get("X-Request-Id") == "" {
		t.Errorf("got %v", got.Header)
	}
}

// Without request_id it is a field like any other.
func TestRequestIDPasses(t *testing.T) { overProtocols(t, testRequestIDPasses) }

func testRequestIDPasses(t *testing.T, newHouse opener) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header["X-Request-Id"]) })
	if got := h.get("/", "X-Request-Id", "theirs"); got.body != "[theirs]" || got.Header.Get("X-Request-Id") != "" {
		t.Errorf("got %q %v", got.body, got.Header)
	}
}
