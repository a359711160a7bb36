package l7

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

const port = 8080

// house is a front with its pool, on a listener of its own.
type house struct {
	t        *testing.T
	front    *Front
	pool     *pool.Pool
	config   *conf.Config
	registry *prometheus.Registry
	reports  *reports
	access   *lines
	url      string
	addr     string
	proto    string            // that visitors speak, as the log has it
	over     http.RoundTripper // that get, do and try use
}

// newHouse serves one app called hello at every path, unless edit says otherwise. No replica is ready.
func newHouse(t *testing.T, edit func(*conf.Config)) *house {
	t.Helper()
	h := &house{
		t: t, pool: pool.New(), registry: prometheus.NewRegistry(),
		reports: &reports{}, access: &lines{}, proto: "HTTP/1.1", over: visiting,
		config: &conf.Config{Apps: map[string]*conf.App{"hello": appConfig("/")}},
	}
	if edit != nil {
		edit(h.config)
	}
	for name, app := range h.config.Apps {
		h.pool.Add(pool.NewApp(name, pool.Policy{
			Max: 4, Seats: app.Seats, Sticky: app.Sticky, Port: port, SessionIdle: time.Hour, HoldQueue: app.Hold.Queue,
		}))
	}
	h.front = New(Options{
		Pool: h.pool, Reporter: h.reports, Key: keyOf("a secret of tests"), Registerer: h.registry,
		Log: slog.New(slog.DiscardHandler), Access: h.access,
	})
	h.configure()
	h.serve()
	return h
}

func appConfig(paths ...string) *conf.App {
	a := &conf.App{Port: port, Hold: conf.Hold{Page: 50 * time.Millisecond, Max: 10 * time.Second, Queue: 100}, Retry: "safe"}
	for _, path := range paths {
		a.Routes = append(a.Routes, conf.Route{Path: path})
	}
	return a
}

func (h *house) configure() {
	h.t.Helper()
	if err := h.front.Configure(h.config); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	h.addr, h.url = l.Addr().String(), "http://"+l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- h.front.Serve(l) }()
	h.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.front.Drain(ctx)
		if err := <-served; err != nil {
			h.t.Error(err)
		}
	})
}

// app of the pool.
func (h *house) app(name string) *pool.App { return h.pool.App(name) }

// ready makes a replica of an app ready at an address.
func (h *house) ready(app, id, addr string) *pool.Upstream {
	h.t.Helper()
	if _, err := h.app(app).Reserve(id, 0, nil); err != nil {
		h.t.Fatal(err)
	}
	return h.readyAgain(app, id, addr, "start of "+id)
}

func (h *house) readyAgain(app, id, addr, start string) *pool.Upstream {
	h.t.Helper()
	up := pool.NewUpstream("container of "+id, start, map[int]pool.Endpoint{port: {Addr: netip.MustParseAddrPort(addr), Direct: true}})
	up.Main = port
	if _, ok := h.app(app).Settle(id, 0, func(r *pool.Row) bool { r.BecomeReady(up); return true }); !ok {
		h.t.Fatalf("replica %s has no row", id)
	}
	return up
}

// replica serves handler as a ready replica.
func (h *house) replica(app, id string, handler http.HandlerFunc) *httptest.Server {
	h.t.Helper()
	server := httptest.NewServer(handler)
	h.t.Cleanup(server.CloseClientConnections)
	h.t.Cleanup(server.Close)
	h.ready(app, id, server.Listener.Addr().String())
	return server
}

// rawReplica serves each connection with handle, and closes it after.
func (h *house) rawReplica(app, id string, handle func(net.Conn, *bufio.Reader)) net.Listener {
	h.t.Helper()
	l := listen(h.t, handle)
	h.ready(app, id, l.Addr().String())
	return l
}

func listen(t *testing.T, handle func(net.Conn, *bufio.Reader)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var conns sync.WaitGroup
	conns.Add(1)
	go func() {
		defer conns.Done()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			go func() {
				defer conns.Done()
				defer conn.Close()
				defer stop()
				handle(conn, bufio.NewReader(conn))
			}()
		}
	}()
	t.Cleanup(conns.Wait)
	t.Cleanup(cancel)
	t.Cleanup(func() { l.Close() })
	return l
}

// head reads one header from a connection, with its bytes as they came.
func head(r *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String()
		}
	}
}

// answer of a request that follows no redirect and keeps no cookie.
type answer struct {
	*http.Response
	body string
	err  error // of reading the body
}

func (h *house) get(path string, header ...string) answer {
	h.t.Helper()
	return h.do(http.MethodGet, path, nil, header...)
}

func (h *house) do(method, path string, body io.Reader, header ...string) answer {
	h.t.Helper()
	a, err := h.try(context.Background(), method, path, body, header...)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) try(ctx context.Context, method, path string, body io.Reader, header ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url, body)
	if err != nil {
		return answer{}, err
	}
	r.URL.Opaque = "//" + h.addr + path // the bytes as they are
	if u, err := url.Parse(h.url + path); err == nil {
		r.URL = u
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	response, err := h.over.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response, string(text), err}, nil
}

// visiting opens a connection for each request, so that no test finds another one's.
var visiting = &http.Transport{DisableKeepAlives: true, DisableCompression: true}

// raw sends bytes and returns what comes back until the end.
func (h *house) raw(text string) string {
	h.t.Helper()
	conn := h.dial()
	if _, err := io.WriteString(conn, text); err != nil {
		h.t.Fatal(err)
	}
	back, _ := io.ReadAll(conn)
	return string(back)
}

func (h *house) dial() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	h.t.Cleanup(func() { conn.Close() })
	return conn
}

// reports is a Reporter that keeps what it is told. then, if set, plays the look.
type reports struct {
	mu    sync.Mutex
	errs  []error
	ended []*pool.Upstream
	then  func(pool.Lease)
}

func (r *reports) Failed(_ context.Context, l pool.Lease, err error) {
	r.mu.Lock()
	r.errs = append(r.errs, err)
	then := r.then
	r.mu.Unlock()
	if then != nil {
		then(l)
	}
}

func (r *reports) Ended(_ *pool.App, up *pool.Upstream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, up)
}

func (r *reports) ends() []*pool.Upstream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ended)
}

func (r *reports) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.errs)
}

// lines collects the access log.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, string(p))
	return len(p), nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.text...)
}

// eventually waits for what another goroutine does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 5 s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// idle waits until no lease is held: whatever a visitor did, nothing leaks.
func (h *house) idle(app string) {
	h.t.Helper()
	eventually(h.t, "all leases are given back", func() bool {
		for _, row := range h.app(app).Snapshot().Rows {
			if row.Leases() != 0 {
				return false
			}
		}
		return true
	})
}
