package l7

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"

	"github.com/fairlead/fairlead/conf"
)

// exposition is what a scrape would read.
func exposition(t *testing.T, h *house) string {
	t.Helper()
	families, err := h.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func metricIs(t *testing.T, h *house, line string) {
	t.Helper()
	eventually(t, line, func() bool { return strings.Contains(exposition(t, h), line+"\n") })
}

func TestRequestsAreCounted(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			w.WriteHeader(404)
		}
	})
	h.get("/")
	h.get("/")
	h.get("/404")
	h.raw("CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n")
	metricIs(t, h, `fairlead_http_requests_total{app="hello",class="2xx"} 2`)
	metricIs(t, h, `fairlead_http_requests_total{app="hello",class="4xx"} 1`)
	metricIs(t, h, `fairlead_http_requests_total{app="",class="4xx"} 1`)
	metricIs(t, h, `fairlead_http_request_duration_seconds_count{app="hello"} 3`)
	metricIs(t, h, `fairlead_http_requests_in_flight{app="hello"} 0`)
}

// case B205
func TestNoVisitorMakesASeries(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) { c.Apps["hello"].Routes[0].Path = "/hello" })
	h.replica("hello", "r1", named("r1"))
	count := func() int { return strings.Count(exposition(t, h), "\n") }
	h.get("/hello")
	h.get("/other")
	h.do("BREW", "/hello", nil)
	metricIs(t, h, `fairlead_http_requests_total{app="hello",class="2xx"} 2`)
	metricIs(t, h, `fairlead_http_requests_total{app="",class="4xx"} 1`)
	before := count()
	for i := range 300 {
		h.do(fmt.Sprint("M", i), fmt.Sprint("/hello/", i), nil, "Host", fmt.Sprint("h", i))
		h.do("GET", fmt.Sprint("/", i), nil, "Host", fmt.Sprint("h", i))
	}
	// A request that happened to be held adds its histogram, once; series by visitor would be hundreds.
	if after := count(); after-before > 60 {
		t.Errorf("%d lines became %d", before, after)
	}
}

func TestSeriesGoWithTheApp(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	h.get("/")
	metricIs(t, h, `fairlead_http_requests_total{app="hello",class="2xx"} 1`)
	h.config = &conf.Config{Apps: map[string]*conf.App{"other": appConfig("/")}}
	h.configure()
	if text := exposition(t, h); strings.Contains(text, `app="hello"`) {
		t.Errorf("left behind:\n%s", text)
	}
}

// Who leaves in the midst of his request, or while he waits, is no failure of the app's.
func TestVisitorsWhoLeaveAreNoFailures(t *testing.T) {
	h := newHouse(t, nil)
	asked := make(chan struct{}, 2)
	h.rawReplica("hello", "r1", func(_ net.Conn, r *bufio.Reader) {
		head(r)
		asked <- struct{}{}
		_, _ = io.Copy(io.Discard, r)
	})
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
	} {
		visitor := h.dial()
		io.WriteString(visitor, request)
		<-asked
		visitor.Close()
	}
	eventually(t, "both are written down", func() bool { return len(h.access.all()) == 2 })
	if text := exposition(t, h); strings.Contains(text, "fairlead_http_upstream_failures_total{") {
		t.Error(text)
	}
}
