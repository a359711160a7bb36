package probe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
)

func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func endsAfter(d time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		time.Sleep(d)
		conn.Close()
	}
}

func speaks(conn net.Conn) {
	_, _ = io.WriteString(conn, "220 hello\r\n")
	conn.Close()
}

// A connect proves something by the container's own address only; behind a published port the connection must last.
func TestTCP(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(net.Conn)
		direct bool
		want   error
		takes  time.Duration
	}{
		"direct":                              {serve: silent, direct: true},
		"direct, ends at once":                {serve: endsAfter(0), direct: true},
		"published, stays open":               {serve: silent, takes: 300 * time.Millisecond},
		"published, speaks first":             {serve: speaks},
		"published, ended by Docker":          {serve: endsAfter(1500 * time.Microsecond), want: probe.ErrEnded, takes: 1500 * time.Microsecond},
		"published, ended by rootlessport":    {serve: endsAfter(191 * time.Millisecond), want: probe.ErrEnded, takes: 191 * time.Millisecond},
		"published, outlasts a short timeout": {serve: silent, takes: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &app{serve: c.serve}
				began := time.Now()
				check := probe.Check{Kind: probe.TCP, Addr: addr, Direct: c.direct, Timeout: 100 * time.Millisecond}
				err := a.prober().Once(t.Context(), check)
				wantErr(t, err, c.want)
				if took := time.Since(began); took != c.takes {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestTCPEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &app{serve: silent}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		wantErr(t, a.prober().Once(ctx, probe.Check{Kind: probe.TCP, Addr: addr}), probe.ErrTimeout)
	})
}

func TestHTTPStatus(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		status    int // of the StatusError; 0: it passes
	}{
		{"200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 0},
		{"204 of HTTP/1.0", "HTTP/1.0 204 No Content\r\n\r\n", 0},
		{"302 to another host is not followed, case B167", "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\n\r\n", 0},
		{"103, then 200", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 0},
		{"103, then 503", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 503 Busy\r\n\r\n", 503},
		{"404", "HTTP/1.1 404 Not Found\r\n\r\n", 404},
		{"401", "HTTP/1.1 401 Unauthorized\r\n\r\n", 401},
		{"101", "HTTP/1.1 101 Switching Protocols\r\n\r\n", 101},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := new(app).answers(0, c.raw)
				err := a.prober().Once(t.Context(), probe.Check{Kind: probe.HTTP, Addr: addr, Path: "/up"})
				got := &probe.StatusError{}
				if refused := errors.As(err, &got); got.Status != c.status || (err != nil) != refused || a.dials.Load() != 1 {
					t.Fatalf("got %v after %d dials", err, a.dials.Load())
				}
			})
		})
	}
}

func TestHTTPRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(app).answers(0, "HTTP/1.1 200 OK\r\n\r\n")
		for host, want := range map[string]string{"": "Host: " + addr.String(), "app.example.org": "Host: app.example.org"} {
			check := probe.Check{Kind: probe.HTTP, Addr: addr, Path: "/up?deep=1", Host: host}
			wantErr(t, a.prober().Once(t.Context(), check), nil)
			head := a.head()
			if head[0] != "GET /up?deep=1 HTTP/1.1" || !slices.Contains(head, want) ||
				!slices.Contains(head, "User-Agent: fairlead-probe") || !slices.Contains(head, "Connection: close") {
				t.Errorf("sent %q", head)
			}
		}
	})
}

func TestHTTPFailures(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(net.Conn)
		want  error
	}{
		"silence":               {silent, probe.ErrTimeout},
		"forwarder ends it":     {func(conn net.Conn) { _, _ = readHead(conn); conn.Close() }, probe.ErrEnded},
		"ends within the head":  {new(app).answers(0, "HTTP/1.1 200 OK\r\nX: ").serve, probe.ErrEnded},
		"a head without an end": {new(app).answers(0, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X: y\r\n", 20000)).serve, probe.ErrHead},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &app{serve: c.serve}
				err := a.prober().Once(t.Context(), probe.Check{Kind: probe.HTTP, Addr: addr, Timeout: time.Second})
				wantErr(t, err, c.want)
			})
		})
	}
}

func TestNoAddressYet(t *testing.T) {
	wantErr(t, probe.Prober{}.Once(t.Context(), probe.Check{Kind: probe.TCP}), probe.ErrNoAddress)
}

// case B167: a path is a path; what could name another host or smuggle a header is refused before any dial.
func TestInvalidChecks(t *testing.T) {
	a := &app{serve: silent}
	for _, check := range []probe.Check{
		{Kind: probe.HTTP, Path: "http://evil.example/"},
		{Kind: probe.HTTP, Path: "healthz"},
		{Kind: probe.HTTP, Path: "/a b"},
		{Kind: probe.HTTP, Path: "/x\r\nHost: evil.example"},
		{Kind: probe.HTTP, Path: "/x#y"},
		{Kind: probe.HTTP, Host: "a\r\nX: y"},
		{Kind: probe.Health},
		{Kind: 99},
	} {
		check.Addr = addr
		wantErr(t, a.prober().Once(t.Context(), check), probe.ErrCheck)
		wantErr(t, a.prober().Until(t.Context(), check, probe.Watch{}), probe.ErrCheck)
	}
	if a.dials.Load() != 0 {
		t.Error("dialled")
	}
}

// case B212: no health check is not healthy.
func TestHealth(t *testing.T) {
	for word, want := range map[string]error{
		"healthy": nil, "starting": probe.ErrUnhealthy, "unhealthy": probe.ErrUnhealthy, "": probe.ErrUnhealthy,
	} {
		says := func(context.Context) (string, error) { return word, nil }
		wantErr(t, probe.Prober{}.Once(t.Context(), probe.Check{Kind: probe.Health, Status: says}), want)
	}
	fails := func(context.Context) (string, error) { return "", io.ErrUnexpectedEOF }
	wantErr(t, probe.Prober{}.Once(t.Context(), probe.Check{Kind: probe.Health, Status: fails}), io.ErrUnexpectedEOF)
}

// Over real sockets, with the default dialer.
func TestLoopback(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	secure := httptest.NewTLSServer(http.RedirectHandler("http://evil.example/", http.StatusFound))
	defer secure.Close()
	at := func(s *httptest.Server) netip.AddrPort { return s.Listener.Addr().(*net.TCPAddr).AddrPort() }
	var p probe.Prober
	wantErr(t, p.Once(t.Context(), probe.Check{Kind: probe.TCP, Addr: at(server), Direct: true}), nil)
	wantErr(t, p.Once(t.Context(), probe.Check{Kind: probe.TCP, Addr: at(server)}), nil)
	trust := secure.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	trust.ServerName = "example.com"
	wantErr(t, p.Once(t.Context(), probe.Check{Kind: probe.HTTP, Addr: at(secure), TLS: trust}), nil)
	err := p.Once(t.Context(), probe.Check{Kind: probe.HTTP, Addr: at(server), Path: "/up", Direct: true})
	if err == nil || err.Error() != "GET /up → 404" { // case B166
		t.Errorf("got %v", err)
	}
	server.Close()
	if p.Once(t.Context(), probe.Check{Kind: probe.TCP, Addr: at(server), Direct: true}) == nil {
		t.Error("a closed port passed")
	}
}
