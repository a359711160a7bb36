package l7

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// die reads a request and closes without a word.
func die(asked *atomic.Int64) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		if head(r) != "" {
			asked.Add(1)
		}
	}
}

func never(c *conf.Config) { c.Apps["hello"].Retry = "never" }

func TestLossIsReportedAndSaid(t *testing.T) {
	h := newHouse(t, never)
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	got := h.get("/", navigation...)
	if got.StatusCode != http.StatusBadGateway || got.Header.Get(reasonHeader) != "lost" || got.Header.Get("Content-Type") != problemType {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	if asked.Load() != 1 || h.reports.count() != 1 {
		t.Errorf("%d attempts, %d reports", asked.Load(), h.reports.count())
	}
	h.idle("hello")
}

func TestRefusedDialIsReported(t *testing.T) {
	h := newHouse(t, never)
	l := listen(t, nil)
	l.Close()
	h.ready("hello", "r1", l.Addr().String())
	if got := h.do(http.MethodPost, "/", strings.NewReader("x")); got.StatusCode != http.StatusBadGateway {
		t.Errorf("got %d", got.StatusCode)
	}
	if h.reports.count() != 1 || !errors.Is(h.reports.errs[0], syscall.ECONNREFUSED) {
		t.Errorf("reported: %v", h.reports.errs)
	}
}

// P4, case B100: a POST is asked once.
func TestPostIsNeverRepeated(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	h.rawReplica("hello", "r2", die(&asked))
	for _, body := range []string{"", "x"} {
		asked.Store(0)
		got := h.do(http.MethodPost, "/", strings.NewReader(body))
		if got.StatusCode != http.StatusBadGateway || asked.Load() != 1 {
			t.Errorf("body %q: got %d after %d attempts", body, got.StatusCode, asked.Load())
		}
	}
}

// P4: at most two upstream connections, whatever keeps dying.
func TestGetIsWrittenToTwoAtMost(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Int64
	for i := range 4 {
		h.rawReplica("hello", fmt.Sprint("r", i), die(&asked))
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		asked.Store(0)
		if got := h.do(method, "/", nil); got.StatusCode != http.StatusBadGateway || asked.Load() != 2 {
			t.Errorf("%s: got %d after %d attempts", method, got.StatusCode, asked.Load())
		}
	}
}

// P4: a GET whose body went out is not sent again.
func TestGetWithABodyIsNotRepeated(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	if got := h.do(http.MethodGet, "/", strings.NewReader("x")); got.StatusCode != http.StatusBadGateway || asked.Load() != 1 {
		t.Errorf("got %d after %d attempts", got.StatusCode, asked.Load())
	}
}

// P5: the look comes before the next dial, which goes to whoever is there then.
func TestGetRecoversAfterTheLook(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	h.reports.then = func(l pool.Lease) {
		h.app("hello").Remove(l.Replica.ID, 0)
		go func() {
			waitFor(h, 1)
			h.replica("hello", "r2", named("r2"))
		}()
	}
	if got := h.get("/", navigation...); got.StatusCode != 200 || got.replica() != "r2" {
		t.Errorf("got %d %q", got.StatusCode, got.body)
	}
	if asked.Load() != 1 {
		t.Errorf("the dead one was asked %d times", asked.Load())
	}
	metricIs(t, h, `fairlead_http_recoveries_total{app="hello",phase="read"} 1`)
}

// A browser whose replica died sees the waiting page as soon as one that found none, not an empty window for hold.max.
func TestBrowserSeesThePageAfterALoss(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Page = 50 * time.Millisecond })
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	h.reports.then = func(l pool.Lease) { h.app("hello").Remove(l.Replica.ID, 0) }
	got := h.get("/", navigation...)
	if got.StatusCode != 503 || got.Header.Get(reasonHeader) != "starting" || !strings.Contains(got.body, "<html") {
		t.Errorf("got %d %q: %.80s", got.StatusCode, got.Header.Get(reasonHeader), got.body)
	}
	if asked.Load() != 1 {
		t.Errorf("it was asked %d times", asked.Load())
	}
}

// P4: attempts that wrote nothing do not count, and wait for a change of state.
func TestRefusedDialsWaitForAChange(t *testing.T) {
	h := newHouse(t, nil)
	gone := listen(t, nil)
	gone.Close()
	h.ready("hello", "r1", gone.Addr().String())
	var looks atomic.Int64
	h.reports.then = func(pool.Lease) {
		if looks.Add(1) == 3 {
			h.replica("hello", "r2", named("r2"))
		} else {
			time.AfterFunc(20*time.Millisecond, func() { h.app("hello").SetFailure(&pool.Failure{}) }) // any change
		}
	}
	if got := h.get("/"); got.StatusCode != 200 || looks.Load() != 3 {
		t.Errorf("got %d after %d looks", got.StatusCode, looks.Load())
	}
}

// The session is kept; the visitor waits for his replica.
func TestBoundVisitorWhoseDialIsRefused(t *testing.T) {
	h := newHouse(t, sticky)
	server := h.replica("hello", "r1", named("r1"))
	cookie := h.get("/", navigation...).cookie("__fairlead_hello")
	server.CloseClientConnections()
	server.Close()
	h.reports.then = func(l pool.Lease) {
		time.AfterFunc(20*time.Millisecond, func() {
			h.app("hello").Remove("r1", 0)
			h.replica("hello", "r2", named("r2"))
		})
	}
	got := h.get("/", append(navigation, "Cookie", cookie.Name+"="+cookie.Value)...)
	if got.StatusCode != 200 || got.replica() != "r2" || got.cookie(cookie.Name) == nil {
		t.Errorf("got %d %q", got.StatusCode, got.body)
	}
}

func TestRecoveryEndsWithTheHold(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Hold.Max = 100 * time.Millisecond })
	var asked atomic.Int64
	h.rawReplica("hello", "r1", die(&asked))
	h.reports.then = func(l pool.Lease) { h.app("hello").Remove(l.Replica.ID, 0) }
	if got := h.get("/"); got.StatusCode != http.StatusBadGateway || got.Header.Get(reasonHeader) != "lost" {
		t.Errorf("got %d %q", got.StatusCode, got.Header.Get(reasonHeader))
	}
}

// case B101: only where it surely was not sent, and only if the operator says so.
func TestUnsentPostMayWait(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Retry = "unsent" })
	gone := listen(t, nil)
	gone.Close()
	h.ready("hello", "r1", gone.Addr().String())
	h.reports.then = func(l pool.Lease) {
		h.app("hello").Remove(l.Replica.ID, 0)
		h.replica("hello", "r2", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	}
	text := strings.Repeat("x", 1<<20)
	if got := h.do(http.MethodPost, "/", strings.NewReader(text)); got.StatusCode != 200 || got.body != text {
		t.Errorf("got %d and %d bytes", got.StatusCode, len(got.body))
	}
}

// P4, case B101: whole to the second one, while the first still stands; its address is not asked again meanwhile.
func TestUnsentPostGoesToAnother(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Retry = "unsent" })
	gone := listen(t, nil)
	gone.Close()
	h.ready("hello", "r1", gone.Addr().String())
	var posts atomic.Int64
	h.replica("hello", "r2", func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		io.Copy(w, r.Body)
	})
	text := strings.Repeat("0123456789abcdef", 1<<16)
	for range 4 {
		if got := h.do(http.MethodPost, "/", strings.NewReader(text)); got.StatusCode != 200 || got.body != text {
			t.Errorf("got %d and %d bytes", got.StatusCode, len(got.body))
		}
	}
	if posts.Load() != 4 || h.reports.count() == 0 {
		t.Errorf("%d posts at the app, %d reports", posts.Load(), h.reports.count())
	}
}

// P4: what a port forwarder refuses or ends may have been sent to the app, as far as we know.
func TestUnsentIsNotKnownOfPublishedPorts(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Retry = "unsent" })
	gone := listen(t, nil)
	gone.Close()
	up := h.ready("hello", "r1", gone.Addr().String())
	up.Endpoints[port] = pool.Endpoint{Addr: up.Endpoints[port].Addr}
	h.reports.then = func(l pool.Lease) {
		h.app("hello").Remove(l.Replica.ID, 0)
		h.replica("hello", "r2", named("r2"))
	}
	if got := h.do(http.MethodPost, "/", strings.NewReader("x")); got.StatusCode != http.StatusBadGateway {
		t.Errorf("got %d", got.StatusCode)
	}
}

func TestRetryAllows(t *testing.T) {
	for _, c := range []struct {
		retry retry
		lost  lost
		want  bool
	}{
		{retrySafe, lost{method: "GET", writes: 1, sent: true}, true},
		{retrySafe, lost{method: "GET", writes: 2, sent: true}, false},
		{retrySafe, lost{method: "GET", writes: 1, responded: true}, false},
		{retrySafe, lost{method: "GET", hasBody: true}, false},
		{retrySafe, lost{method: "DELETE"}, false},
		{retrySafe, lost{method: "POST"}, false},
		{retryUnsent, lost{method: "POST", hasBody: true}, true},
		{retryUnsent, lost{method: "POST", hasBody: true, published: true}, false},
		{retryUnsent, lost{method: "POST", sent: true}, false},
		{retryUnsent, lost{method: "POST", writes: 1}, false},
		{retryUnsent, lost{method: "POST", bodyRead: true}, false},
		{retryNever, lost{method: "GET"}, false},
	} {
		if got := c.retry.allows(c.lost); got != c.want {
			t.Errorf("%v of %+v: %v", c.retry, c.lost, got)
		}
	}
}

// What an app answers is its own affair.
func TestAppsOwnErrorsAreNoLoss(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	got := h.get("/", navigation...)
	if got.StatusCode != 503 || got.Header.Get(reasonHeader) != "" || got.body != "" {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	if h.reports.count() != 0 {
		t.Error("it was reported")
	}
}

func TestNonsenseFromTheAppIsNoLoss(t *testing.T) {
	h := newHouse(t, nil)
	var asked atomic.Int64
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		asked.Add(1)
		io.WriteString(conn, "SSH-2.0-OpenSSH_9\r\n\r\n")
	})
	got := h.get("/")
	if got.StatusCode != http.StatusBadGateway || got.Header.Get(reasonHeader) != "bad-response" || asked.Load() != 1 || h.reports.count() != 0 {
		t.Errorf("got %d %q, %d attempts, %d reports", got.StatusCode, got.Header.Get(reasonHeader), asked.Load(), h.reports.count())
	}
}

// The visitor leaves while the app thinks: the app's connection ends, and nobody is blamed.
func TestVisitorLeavesASlowApp(t *testing.T) {
	h := newHouse(t, nil)
	ended := make(chan struct{})
	asked := make(chan struct{})
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(ended)
	})
	ctx, leave := context.WithCancel(context.Background())
	go func() { <-asked; leave() }()
	if _, err := h.try(ctx, http.MethodGet, "/", nil); err == nil {
		t.Error("he was answered")
	}
	<-ended
	h.idle("hello")
	if h.reports.count() != 0 {
		t.Error("it was reported")
	}
}

// case B097
func TestResponseThatEndsInItsMiddle(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		refused bool // the visitor saw nothing yet, and gets a 502
	}{
		"length, no byte":    {"Content-Length: 10\r\n\r\n", true},
		"length, some bytes": {"Content-Length: 10\r\n\r\n12345", false},
		"chunked, no byte":   {"Transfer-Encoding: chunked\r\n\r\n", false},
		"chunked, a chunk":   {"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n", false},
		"chunked, half one":  {"Transfer-Encoding: chunked\r\n\r\n5\r\n12", false},
	} {
		h := newHouse(t, nil)
		h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
			head(r)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+c.text)
		})
		got, err := h.try(context.Background(), http.MethodGet, "/", nil)
		if c.refused {
			if err != nil || got.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: got %v, %v", name, got.Response, err)
			}
		} else if err == nil && got.err == nil {
			t.Errorf("%s: a clean end: %q", name, got.body)
		}
		eventually(t, name+": reported once", func() bool { return h.reports.count() == 1 })
		h.idle("hello")
	}
}

// An HTTP/1.0 visitor knows the end of a body by the connection's: it must be a broken one.
func TestBrokenResponseToAnOldVisitor(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n")
	})
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
	if back, err := io.ReadAll(conn); err == nil {
		t.Errorf("a clean end after %q", back)
	}
}

// P5: what is under way ends with the start, too.
func TestResponseEndsWithTheUpstream(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	conn := h.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	r := bufio.NewReader(conn)
	head(r)
	h.app("hello").Remove("r1", 0)
	if rest, err := io.ReadAll(r); err == nil && strings.HasSuffix(string(rest), "0\r\n\r\n") {
		t.Errorf("a clean end: %q", rest)
	}
}

// case B103
func TestMalformedBodyIsTheVisitorsFault(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	back := h.raw("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n")
	if !strings.HasPrefix(back, "HTTP/1.1 400 ") {
		t.Errorf("got %q", back)
	}
	if h.reports.count() != 0 {
		t.Error("the replica was blamed")
	}
}

func TestAppThatLacksThePort(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Port = 1 })
	h.ready("hello", "r1", "127.0.0.1:1").Main = 2 // neither the app's port nor its earlier one
	if got := h.get("/"); got.StatusCode != http.StatusBadGateway {
		t.Errorf("got %d", got.StatusCode)
	}
	h.idle("hello")
}

// P4: a fresh-connection retry inside a second attempt would be a third write.
func TestSecondAttemptIsOneWrite(t *testing.T) {
	h := newHouse(t, nil)
	var asked, conns atomic.Int64
	h.rawReplica("hello", "r2", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		if conns.Add(1) > 1 {
			asked.Add(1)
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		if head(r) != "" {
			t.Error("a second attempt goes over a kept connection")
		}
	})
	visitor := h.dial() // the same one: each loop keeps its own connections to apps
	answers := bufio.NewReader(visitor)
	get := func() *http.Response {
		io.WriteString(visitor, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		answer, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	get()
	h.idle("hello")
	h.app("hello").Settle("r2", 0, func(r *pool.Row) bool { r.Suspected("out of the first pick"); return true })
	h.rawReplica("hello", "r1", die(&asked))
	h.reports.then = func(l pool.Lease) {
		if l.Replica.ID == "r1" {
			h.app("hello").Remove("r1", 0)
			h.app("hello").Settle("r2", 0, func(r *pool.Row) bool { r.Cleared(); return true })
		}
	}
	if got := get(); got.StatusCode != http.StatusBadGateway || asked.Load() != 2 {
		t.Errorf("got %d after %d attempts", got.StatusCode, asked.Load())
	}
}

// An app that closes idle connections may close several at once: the second attempt is on none of them.
func TestSecondAttemptIsOnANewConnection(t *testing.T) {
	h := newHouse(t, nil)
	const many = 16 // several on each loop
	var waiting atomic.Int64
	all := make(chan struct{})
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		if waiting.Add(1) == many {
			close(all)
		}
		<-all
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		head(r) // and it closes, whatever that was
	})
	visitors := make([]net.Conn, many)
	for i := range visitors {
		visitors[i] = h.dial()
		io.WriteString(visitors[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	for i, visitor := range visitors {
		answers := bufio.NewReader(visitor)
		if answer, err := http.ReadResponse(answers, nil); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(i, answer, err)
		}
	}
	h.idle("hello")
	io.WriteString(visitors[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if answer, err := http.ReadResponse(bufio.NewReader(visitors[0]), nil); err != nil || answer.StatusCode != http.StatusOK {
		t.Error(answer, err)
	}
}
