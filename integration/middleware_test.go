package integration

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

const middleware = `
  api:
    route: {host: api.test}
    headers:
      request: {set: {X-Client: "{client}"}, remove: X-Gone}
      response: {set: {X-Served-By: "{replica}"}, remove: Demo-App}
    max_body: 64k
    compress: true
    cors: {origins: "https://app.test", credentials: true}
    request_id: true
  narrow:
    route: {host: narrow.test}
    rate_limit: {requests: 2, within: 1h}
    max_requests: 1`

// Everything at once, as somebody would run it: one binary, one engine, a collector. WebSockets and event streams go through
// all of it (case B091).
func TestMiddleware(t *testing.T) {
	spans := collect(t)
	log := filepath.Join(t.TempDir(), "access.log")
	f := launch(t, setup{Apps: middleware, Env: []string{
		"FAIRLEAD_LOG__ACCESS__PATH=" + log, "FAIRLEAD_LOG__ACCESS__MAX_SIZE=10m",
		"FAIRLEAD_TRACING__OTLP=" + spans.url, "FAIRLEAD_TRUSTED_PROXIES=127.0.0.1",
	}})
	v := f.visitor(t)
	preflightWakesNothing(t, f, v)
	id := answersAreDressed(t, v)
	bodiesAreBounded(t, v)
	eventsAreNotHeld(t, v)
	v.socket(t, "api").echo(t, "through all of it")
	clientsAreLimited(t, v)
	logIsOpenedAgain(t, f, v, log, id)
	f.process.signal(t, syscall.SIGTERM)
	if code := f.process.awaitExit(t); code != 0 {
		t.Errorf("ended with %d", code)
	}
	spans.tell(t)
}

func preflightWakesNothing(t *testing.T, f *fairlead, v *visitor) {
	got, err := v.send(http.MethodOptions, "api", "/echo", http.Header{
		"Origin": {"https://app.test"}, "Access-Control-Request-Method": {"PUT"},
	})
	if err != nil || got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "https://app.test" {
		t.Errorf("preflight: %v %d %v", err, got.status, got.header)
	}
	if rows := f.rows(t, "api"); len(rows) > 0 {
		t.Errorf("a preflight has woken %+v", rows)
	}
}

const (
	trace  = "0af7651916cd43dd8448eb211c80319c"
	parent = "00-" + trace + "-b7ad6b7169203331-01"
)

func answersAreDressed(t *testing.T, v *visitor) (id string) {
	got, err := v.send(http.MethodGet, "api", "/echo", http.Header{
		"Accept-Encoding": {"gzip"}, "Origin": {"https://app.test"}, "Traceparent": {parent},
		"X-Gone": {"1"}, "X-Client": {"theirs"}, "X-Padding": {strings.Repeat("x", 2000)}, "X-Request-Id": {"from-the-proxy"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.header.Get("Content-Encoding") != "gzip" || got.header.Get("Demo-App") != "" || got.header.Get("X-Served-By") != got.header.Get("Demo-Replica") ||
		got.header.Get("Access-Control-Allow-Credentials") != "true" || got.header.Get("Vary") != "Origin, Accept-Encoding" {
		t.Errorf("got %d %v", got.status, got.header)
	}
	var app struct{ Headers http.Header }
	if err := json.Unmarshal(unzipped(t, []byte(got.body)), &app); err != nil {
		t.Fatal(err)
	}
	h := app.Headers
	if h.Get("X-Client") != "127.0.0.1" || h.Get("X-Gone") != "" || h.Get("X-Request-Id") != "from-the-proxy" ||
		!strings.HasPrefix(h.Get("Traceparent"), "00-"+trace) || h.Get("Traceparent") == parent {
		t.Errorf("the app got %v", h)
	}
	return got.header.Get("X-Request-Id")
}

func unzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	from, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func bodiesAreBounded(t *testing.T, v *visitor) {
	for what, body := range map[string]io.Reader{
		"length": strings.NewReader(strings.Repeat("x", 64<<10+1)),
		"chunks": io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20))),
	} {
		response, err := v.http.Post("http://api.test/echo", "text/plain", body)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got, _ := read(response)
		if got.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", what, got.status)
		}
	}
}

func eventsAreNotHeld(t *testing.T, v *visitor) {
	request, _ := http.NewRequest(http.MethodGet, "http://api.test/sse?n=2&every=1h", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := v.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, len("id: 1\n"))
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "id: 1\n" || response.Header.Get("Content-Encoding") != "" {
		t.Errorf("%v %q %v", err, first, response.Header)
	}
}

func clientsAreLimited(t *testing.T, v *visitor) {
	client := 0
	from := func(address string, path string) (*http.Response, error) {
		request, _ := http.NewRequest(http.MethodGet, "http://narrow.test"+path, nil)
		request.Header.Set("X-Forwarded-For", address)
		return v.http.Do(request)
	}
	status := func(address string) int {
		response, err := from(address, "/id")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := read(response)
		if got.status >= 400 && got.header.Get("Retry-After") == "" {
			t.Errorf("%d without Retry-After", got.status)
		}
		return got.status
	}
	for i, want := range []int{200, 200, 429} {
		if got := status("192.0.2.1"); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
	}
	events, err := from("192.0.2.2", "/sse?n=0&every=1h")
	if err != nil {
		t.Fatal(err)
	}
	if got := status("192.0.2.3"); got != http.StatusServiceUnavailable {
		t.Errorf("beside another request: %d", got)
	}
	events.Body.Close()
	eventually(t, "a place", func() string {
		client++
		if got := status(fmt.Sprintf("198.51.100.%d", client%250)); got != http.StatusOK {
			return http.StatusText(got)
		}
		return ""
	})
}

func logIsOpenedAgain(t *testing.T, f *fairlead, v *visitor, path, id string) {
	eventually(t, "the line of "+id, func() string {
		text, err := os.ReadFile(path)
		if n := strings.Count(string(text), `"request_id":"`+id+`","trace_id":"`+trace+`"`); n != 1 {
			return fmt.Sprintf("%d lines in %s %v", n, text, err)
		}
		return ""
	})
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	f.process.signal(t, syscall.SIGUSR1)
	eventually(t, "another log", func() string {
		v.get(t, "api", "/id?after")
		text, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(string(text), `"path":"/id"`) {
			return "without a line"
		}
		return ""
	})
}

// sink is a collector of spans.
type sink struct {
	url   string
	mu    sync.Mutex
	spans map[string]int // of our trace, by name
}

func collect(t *testing.T) *sink {
	s := &sink{spans: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *sink) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var batch collector.ExportTraceServiceRequest
	raw, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(raw, &batch) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range batch.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				if fmt.Sprintf("%x", span.TraceId) == trace {
					s.spans[span.Name]++
				}
			}
		}
	}
}

// tell checks what came: the request that woke the app was held, and went out once.
func (s *sink) tell(t *testing.T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spans["GET /"] != 1 || s.spans["hold"] != 1 || s.spans["attempt"] != 1 {
		t.Errorf("spans: %v", s.spans)
	}
}
