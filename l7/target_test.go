package l7

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2/hpack"

	"github.com/fairlead/fairlead/conf"
)

// echoTarget answers with the request line as it came.
func echoTarget(conn net.Conn, r *bufio.Reader) {
	line, _, _ := strings.Cut(head(r), "\r\n")
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(line), line)
}

// cases B115, B116
func TestTargetIsForwardedByteForByte(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", echoTarget)
	for _, target := range []string{
		"/", "/a%2Fb", "/a%2fb", "//a//b", "/http://x", "/a/../b", "/%2e%2e/", "/a%252Fb", "/%E4", "/a;b=c",
		"/a?x=1;y=2", "/a?a=1;admin=1&b=2", "/a?", "/?", "/a??b", "/a%00b", "/a%5Cb", "/a?%zz", "/a?b/../c", "/~a!$&'()*+,:@",
	} {
		back := h.raw("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		_, seen, _ := strings.Cut(back, "\r\n\r\n")
		if want := "GET " + target + " HTTP/1.1"; seen != want {
			t.Errorf("sent %q, the app saw %q", want, seen)
		}
	}
}

func TestAbsoluteTargetBecomesAnOrigin(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		text := head(r)
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", text)
	})
	back := h.raw("GET http://real.example.org/a%2Fb?c HTTP/1.1\r\nHost: real.example.org\r\nConnection: close\r\n\r\n")
	for _, want := range []string{"GET /a%2Fb?c HTTP/1.1\r\n", "Host: real.example.org\r\n"} {
		if !strings.Contains(back, want) {
			t.Errorf("no %q in %q", want, back)
		}
	}
}

// What an app may take for another path than we do is refused, however it came.
func TestTargetsWithTwoMeanings(t *testing.T) {
	overProtocols(t, func(t *testing.T, open opener) {
		h := open(t, nil)
		h.rawReplica("hello", "r1", echoTarget)
		for target, want := range map[string]int{"/a#/../b": 400, "/100%": 400, "/a%zz": 400, "/a?100%": 200} {
			request, err := http.NewRequestWithContext(t.Context(), "GET", h.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host, request.URL.Opaque = "example.com", target
			answer, err := h.over.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s: got %d, not %d", target, answer.StatusCode, want)
			}
		}
	})
}

// case B092
func TestConnectIsRefused(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Bool
	h.rawReplica("hello", "r1", func(net.Conn, *bufio.Reader) { asked.Store(true) })
	back := h.raw("CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 405 ") || strings.Count(back, "HTTP/1.1") != 1 {
		t.Errorf("got %q", back)
	}
	if asked.Load() {
		t.Error("the app was asked")
	}
}

func TestOptionsOfTheServerAreAnsweredHere(t *testing.T) {
	h := newHouse(t, nil)
	back := h.raw("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 204 ") || !strings.Contains(back, "\r\nAllow: GET, ") {
		t.Errorf("got %q", back)
	}
}

func TestUnknownHostAndPath(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) {
		c.Apps["hello"] = appConfig()
		c.Apps["hello"].Routes = []conf.Route{{Host: "a.example.org", Path: "/hello"}}
	})
	for _, c := range [][2]string{{"/hello", "b.example.org"}, {"/", "a.example.org"}} {
		got := h.get(c[0], "Host", c[1], "Sec-Fetch-Mode", "navigate")
		if got.StatusCode != http.StatusNotFound || got.Header.Get("Content-Type") != problemType || got.Header.Get(reasonHeader) != "not-found" {
			t.Errorf("%v: got %d %v", c, got.StatusCode, got.Header)
		}
	}
}

func TestStrip(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) {
		c.Apps["hello"] = appConfig()
		c.Apps["hello"].Routes = []conf.Route{{Path: "/hello", Strip: true}}
	})
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.RequestURI+" under "+r.Header.Get("X-Forwarded-Prefix"))
	})
	if got := h.get("/hello/a%2Fb?c=d"); got.body != "/a%2Fb?c=d under /hello" {
		t.Errorf("the app saw %q", got.body)
	}
	got := h.do(http.MethodPost, "/hello?a=1;b", nil)
	if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != "/hello/?a=1;b" {
		t.Errorf("got %d to %q", got.StatusCode, got.Header.Get("Location"))
	}
	if got := h.get("/x/../hello/a"); got.StatusCode != http.StatusBadRequest {
		t.Errorf("a prefix that is not spelled out: got %d %q", got.StatusCode, got.body)
	}
}

// A :path has no authority in it (RFC 9113, section 8.3.1): there would be two.
func TestPathsWithAnAuthority(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", echoTarget)
	for _, path := range []string{"http://evil.example/a", "http://hello/a", "a"} {
		p := h.http2Peer()
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":path", path}, {":authority", "hello"}} {
			_ = p.encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
		}
		p.begin(1, p.buffer.Bytes(), true)
		if got := p.status(1); got != "400" {
			t.Errorf("%s: got %s", path, got)
		}
	}
}

// A :method is a token, whatever the app speaks.
func TestMethodsThatAreNone(t *testing.T) {
	h := newH2CHouse(t)
	h.h2cReplica("r1", named("r1"))
	for method, want := range map[string]string{"GET /other": "400", "(": "400", "PURGE": "200"} {
		p := h.http2Peer()
		p.begin(1, p.block(method, nil), true)
		if got := p.status(1); got != want {
			t.Errorf("%q: got %s", method, got)
		}
	}
}
