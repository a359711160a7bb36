package l7

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/page"
)

// hello edits the only app of a house.
func hello(edit func(*conf.App)) func(*conf.Config) {
	return func(c *conf.Config) { edit(c.Apps["hello"]) }
}

func TestRateLimit(t *testing.T) { overProtocols(t, testRateLimit) }

func testRateLimit(t *testing.T, newHouse opener) {
	h := newHouse(t, func(c *conf.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		c.Apps["hello"].RateLimit = conf.RateLimit{Requests: 2, Within: time.Hour}
	})
	h.replica("hello", "r1", named("r1"))
	from := func(client string) answer { return h.get("/", "X-Forwarded-For", client) }
	for range 2 {
		if got := from("192.0.2.1"); got.StatusCode != http.StatusOK {
			t.Fatalf("got %d", got.StatusCode)
		}
	}
	got := from("192.0.2.1")
	if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "1800" || got.Header.Get(reasonHeader) != "too-many" {
		t.Errorf("got %d, %v", got.StatusCode, got.Header)
	}
	if got := from("192.0.2.2"); got.StatusCode != http.StatusOK {
		t.Errorf("another client: %d", got.StatusCode)
	}
	// A reload of something else forgets nothing, and of the limit gives everybody a new one.
	h.config.Apps["hello"].MaxBody = 1
	h.configure()
	if got := from("192.0.2.1"); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("after a reload: %d", got.StatusCode)
	}
	h.config.Apps["hello"].RateLimit.Requests = 3
	h.configure()
	if got := from("192.0.2.1"); got.StatusCode != http.StatusOK {
		t.Errorf("with another limit: %d", got.StatusCode)
	}
}

// Nobody picks his own address: from a peer that is not trusted, X-Forwarded-For is not looked at (case B112).
func TestRateLimitBelievesNobody(t *testing.T) { overProtocols(t, testRateLimitBelievesNobody) }

func testRateLimitBelievesNobody(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.RateLimit = conf.RateLimit{Requests: 1, Within: time.Hour} }))
	h.replica("hello", "r1", named("r1"))
	h.get("/", "X-Forwarded-For", "192.0.2.1")
	if got := h.get("/", "X-Forwarded-For", "192.0.2.2"); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got %d", got.StatusCode)
	}
}

// Who makes too many starts nothing.
func TestRefusedRequestsAreNoDemand(t *testing.T) { overProtocols(t, testRefusedRequestsAreNoDemand) }

func testRefusedRequestsAreNoDemand(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) {
		a.RateLimit = conf.RateLimit{Requests: 1, Within: time.Hour}
		a.MaxBody = 10
	}))
	if got := h.do("POST", "/", strings.NewReader("more than ten bytes")); got.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", got.StatusCode)
	}
	// The first one was counted, although it came to nothing.
	if got := h.get("/", navigation...); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got %d", got.StatusCode)
	}
	if n := h.app("hello").Waiting(time.Now()); n != 0 {
		t.Errorf("%d are waited for", n)
	}
}

func TestMaxRequests(t *testing.T) { overProtocols(t, testMaxRequests) }

func testMaxRequests(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.MaxRequests = 2 }))
	coming, leave := make(chan struct{}, 2), make(chan struct{})
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		coming <- struct{}{}
		<-leave
	})
	for range 2 {
		go h.try(context.Background(), http.MethodGet, "/", nil)
		<-coming
	}
	got := h.get("/")
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || got.Header.Get(reasonHeader) != "full" {
		t.Errorf("got %d, %v", got.StatusCode, got.Header)
	}
	if got := h.get("/", navigation...); !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		t.Errorf("a browser gets %v", got.Header)
	}
	h.configure() // a reload counts on
	if got := h.get("/"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after a reload: %d", got.StatusCode)
	}
	close(leave)
	eventually(t, "there is a place again", func() bool { return h.get("/").StatusCode == http.StatusOK })
}

func TestLargeBodyIsRefusedBeforeItComes(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) { a.MaxBody = 10 }))
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { t.Error("the app has seen it") })
	got := h.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 413 ") || !strings.Contains(got, "Connection: close") {
		t.Errorf("got %q", got)
	}
}

func TestBodyOfTheLimitPasses(t *testing.T) { overProtocols(t, testBodyOfTheLimitPasses) }

func testBodyOfTheLimitPasses(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.MaxBody = 10 }))
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	for what, body := range map[string]io.Reader{"length": strings.NewReader("0123456789"), "chunks": io.MultiReader(strings.NewReader("0123456789"))} {
		if got := h.do("POST", "/", body); got.StatusCode != http.StatusOK || got.body != "0123456789" {
			t.Errorf("%s: %d %q", what, got.StatusCode, got.body)
		}
	}
}

// An app must not take a part for the whole: what grows too large breaks its connection.
func TestBodyThatGrowsTooLarge(t *testing.T) { overProtocols(t, testBodyThatGrowsTooLarge) }

func testBodyThatGrowsTooLarge(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) { a.MaxBody = 100 << 10 }))
	saw := make(chan error, 1)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		saw <- err
	})
	got := h.do("POST", "/", io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20))))
	if got.StatusCode != http.StatusRequestEntityTooLarge || got.Header.Get(reasonHeader) != "too-large" {
		t.Errorf("got %d, %v", got.StatusCode, got.Header)
	}
	if err := <-saw; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the app has read its end: %v", err)
	}
	if n := h.reports.count(); n != 0 {
		t.Errorf("%d reports against the replica", n)
	}
	h.idle("hello")
}

// The same when the app answers while it reads: the answer is cut, not begun
// anew (case B104), and nothing speaks against the replica.
func TestBodyThatGrowsTooLargeUnderAnAnswer(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) { a.MaxBody = 10 }))
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
		_, _ = io.Copy(io.Discard, r)
	})
	got := h.raw("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n14\r\n01234567890123456789\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 413 ") && (!strings.HasPrefix(got, "HTTP/1.1 200 ") || strings.HasSuffix(got, "0\r\n\r\n")) {
		t.Errorf("got %q", got)
	}
	h.idle("hello")
	if n := h.reports.count(); n != 0 {
		t.Errorf("%d reports against the replica", n)
	}
}

// The waiting page's questions are free for the visitor who was given it, and for nobody else: a probe starts an app as any
// request does.
func TestRateLimitOfProbes(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) { a.RateLimit = conf.RateLimit{Requests: 1, Within: time.Hour} }))
	ticket := h.get("/", navigation...).cookie("__fairlead_wait_hello")
	own := ticket.Name + "=" + ticket.Value
	for range 3 {
		if got := h.get("/", page.Probe, "1", "Cookie", own); got.Header.Get(reasonHeader) != "starting" {
			t.Fatalf("the page is told %v", got.Header)
		}
	}
	for _, cookie := range []string{"", ticket.Name + "=abc"} {
		if got := h.get("/", page.Probe, "1", "Cookie", cookie); got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("with the cookie %q: %d %v", cookie, got.StatusCode, got.Header)
		}
	}
	h.replica("hello", "r1", named("r1"))
	if got := h.get("/", page.Probe, "1", "Cookie", own); got.Header.Get(reasonHeader) != "ready" {
		t.Errorf("the page is told %v at the end", got.Header)
	}
}
