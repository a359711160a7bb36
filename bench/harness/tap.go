package harness

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Tap is a way to an engine's socket that notes when calls come by. It passes everything on unchanged.
type Tap struct {
	URL string // for Fairlead

	mu    sync.Mutex // guards calls
	calls []Call
}

// Call of an engine's API.
type Call struct {
	Method, Path   string
	Sent, Returned time.Time // Returned is zero until the answer's head was there
}

// NewTap listens on a socket in front of the engine's; both are unix sockets.
func (r *Run) NewTap(name, engine string) (*Tap, error) {
	path := r.Path(name + ".sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	t := &Tap{URL: "unix://" + path}
	transport := &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", strings.TrimPrefix(engine, "unix://"))
	}}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	proxy.FlushInterval = -1 // events
	proxy.Transport = transport
	proxy.ModifyResponse = t.returned
	proxy.ErrorLog = log.New(io.Discard, "", 0) // Fairlead says what it could not do
	server := &http.Server{Handler: t.noting(proxy)}
	go server.Serve(listener)
	r.Defer(func() { server.Close() })
	return t, nil
}

type callKey struct{}

func (t *Tap) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.mu.Lock()
		t.calls = append(t.calls, Call{Method: r.Method, Path: r.URL.Path, Sent: time.Now()})
		place := len(t.calls) - 1
		t.mu.Unlock()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, place)))
	})
}

func (t *Tap) returned(response *http.Response) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if place := response.Request.Context().Value(callKey{}).(int); place < len(t.calls) {
		t.calls[place].Returned = time.Now()
	}
	return nil
}

// Since returns the first call of that method whose path ends so, among those sent after a time.
func (t *Tap) Since(when time.Time, method, suffix string) (Call, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, call := range t.calls {
		if call.Sent.After(when) && call.Method == method && strings.HasSuffix(call.Path, suffix) {
			return call, true
		}
	}
	return Call{}, false
}

// Count is how many calls were sent after a time.
func (t *Tap) Count(when time.Time) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, call := range t.calls {
		if call.Sent.After(when) {
			n++
		}
	}
	return n
}
