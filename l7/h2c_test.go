package l7

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

func newH2CHouse(t *testing.T) *house {
	return newHouse(t, func(c *conf.Config) { c.Apps["hello"].Protocol = "h2c" })
}

// h2cReplica is a ready replica that speaks HTTP/2 only.
func (h *house) h2cReplica(id string, handler http.HandlerFunc) *httptest.Server {
	h.t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	h.t.Cleanup(server.Close)
	h.t.Cleanup(server.CloseClientConnections)
	h.ready("hello", id, server.Listener.Addr().String())
	return server
}

func TestH2CKeepsTheRequest(t *testing.T) {
	h := newH2CHouse(t)
	h.h2cReplica("r1", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("X-Seen", r.Proto+" "+r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("X-Own"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
		w.Header().Set("X-Sum", r.Trailer.Get("X-Up"))
	})
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	for _, body := range []io.Reader{nil, bytes.NewReader(big), struct{ io.Reader }{bytes.NewReader(big)}} {
		a := h.do("POST", "/a%2Fb?x=1", body, "Host", "example.com", "X-Own", "1")
		if a.StatusCode != 418 || a.Header.Get("X-Seen") != "HTTP/2.0 POST /a%2Fb?x=1 example.com 1" || a.err != nil || body != nil && a.body != string(big) {
			t.Errorf("got %v, %d bytes, %v", a.Response, len(a.body), a.err)
		}
	}
	h.idle("hello")
}

// P4, P5: a dead replica is reported, and a request that is safe goes to the next one.
func TestH2CRecovers(t *testing.T) {
	h := newH2CHouse(t)
	arrived := make(chan struct{}, 1)
	dying := h.h2cReplica("r1", func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	h.reports.then = func(l pool.Lease) {
		h.app("hello").Remove("r1", 0)
		h.h2cReplica("r2", named("r2"))
	}
	got := h.later()
	<-arrived
	dying.CloseClientConnections()
	if a := <-got; a.err != nil || a.StatusCode != 200 || a.replica() != "r2" || h.reports.count() != 1 {
		t.Errorf("got %v, %d reports", a, h.reports.count())
	}
}

// A POST that the app has seen is not sent again.
func TestH2COtherMethodsAreNotRepeated(t *testing.T) {
	h := newH2CHouse(t)
	arrived := make(chan struct{}, 1)
	dying := h.h2cReplica("r1", func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	got := make(chan answer, 1)
	go func() {
		a, _ := h.try(context.Background(), "POST", "/", bytes.NewReader([]byte("x")))
		got <- a
	}()
	<-arrived
	dying.CloseClientConnections()
	if a := <-got; a.StatusCode != 502 || h.reports.count() != 1 {
		t.Errorf("got %v, %d reports", a.Response, h.reports.count())
	}
}

// The end of an idle connection, without a GOAWAY, is a hint.
func TestH2CEndsAreTold(t *testing.T) {
	h := newH2CHouse(t)
	server := h.h2cReplica("r1", named("r1"))
	if a := h.get("/"); a.StatusCode != 200 {
		t.Fatalf("got %v", a.Response)
	}
	server.CloseClientConnections()
	eventually(t, "the end is told", func() bool { return len(h.reports.ends()) == 1 })
}

// An app that does not speak HTTP/2 has not been asked anything.
func TestH2CIsSpokenOrNot(t *testing.T) {
	h := newH2CHouse(t)
	h.replica("hello", "r1", func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != "PRI" {
			t.Errorf("it was asked %s", r.Method)
		}
	})
	h.reports.then = func(pool.Lease) { h.app("hello").Remove("r1", 0); h.h2cReplica("r2", named("r2")) }
	if a := h.do("GET", "/", nil); a.StatusCode != 200 {
		t.Errorf("got %v", a.Response)
	}
}

// case B089: a WebSocket goes by HTTP/1.1, whatever the app speaks otherwise.
func TestH2CUpgradesGoByHTTP1(t *testing.T) {
	h := newH2CHouse(t)
	h.replica("hello", "r1", socketEcho)
	_, _, header := h.socket(handshake)
	if len(header) < 12 || header[:12] != "HTTP/1.1 101" {
		t.Errorf("got %q", header)
	}
}

// P5: connections end with the start, busy ones too.
func TestH2CConnectionsEndWithTheStart(t *testing.T) {
	h := newH2CHouse(t)
	arrived := make(chan struct{}, 1)
	ended := make(chan struct{})
	h.h2cReplica("r1", func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
		close(ended)
	})
	got := h.later()
	<-arrived
	h.app("hello").Remove("r1", 0)
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the connection goes on")
	}
	h.h2cReplica("r2", named("r2"))
	if a := <-got; a.StatusCode != 200 {
		t.Errorf("got %v, %v", a.Response, a.err)
	}
}

// One connection carries many answers, and the ends of some do not disturb the others.
func TestH2CManyAtOnce(t *testing.T) {
	h := newH2CHouse(t)
	text := bytes.Repeat([]byte("x"), 256<<10)
	h.h2cReplica("r1", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	visitor := h.http2Visitor()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 40 {
				response, err := visitor.Get(h.url)
				if err != nil {
					t.Error(err)
					return
				}
				n, err := io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if n != int64(len(text)) || err != nil {
					t.Errorf("status %d, %d bytes, %v", response.StatusCode, n, err)
				}
			}
		})
	}
	all.Wait()
	if n := h.reports.count(); n > 0 {
		t.Errorf("%d failures were reported", n)
	}
}
