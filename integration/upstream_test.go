package integration

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// An app at a fixed address needs no engine: two may be at the same one, a visitor who comes while it is down is held until
// it is back, and a reload sends the next one elsewhere.
func TestUpstream(t *testing.T) {
	t.Parallel()
	first, second := said(t, "127.0.0.1:0", "first"), said(t, "127.0.0.1:0", "second")
	address := first.Listener.Addr().(*net.TCPAddr)
	apps := func(to int) string {
		return fmt.Sprintf(`
  hello: {upstream: "http://localhost:%d", image: null, route: {host: hello.test}, sticky: true}
  other: {upstream: "http://127.0.0.1:%d", image: null, route: {host: other.test}}`, to, to)
	}
	f := launch(t, setup{Apps: apps(address.Port)})
	v := f.visitor(t)
	for range 3 {
		for _, app := range []string{"hello", "other"} {
			if got := v.get(t, app, "/a/b"); got != "first /a/b" {
				t.Errorf("%s: got %q", app, got)
			}
		}
	}

	first.CloseClientConnections()
	first.Close()
	held := meanwhile(func() reply {
		got, err := v.send(http.MethodGet, "hello", "/held", nil)
		return reply{got, err}
	})
	eventually(t, "somebody held", func() string {
		if f.app(t, "hello").Waiting == 0 {
			return "nobody"
		}
		return ""
	})
	said(t, address.String(), "again")
	back := settled(t, "the held visitor", held)
	if got := served(t)(back.answer, back.err); got != "again /held" {
		t.Errorf("got %q", got)
	}

	got, err := f.ask(http.MethodPost, "/api/apps/hello/sleep", http.Header{"Authorization": {"Bearer " + f.admin.Token}})
	if err != nil || got.status < 400 {
		t.Errorf("sleep: got %d %v", got.status, err)
	}
	since := f.now(t)
	setup{Apps: apps(second.Listener.Addr().(*net.TCPAddr).Port)}.write(t, f)
	f.await(t, since, "", journal.ConfigApplied)
	eventually(t, "the next upstream", func() string {
		if got := v.get(t, "hello", "/"); got != "second /" {
			return got
		}
		return ""
	})
	f.never(t, 0, "", journal.StartFailed, journal.ReplicaReaped)
}

// said is a server that says who it is, and what it was asked for.
func said(t *testing.T, address, name string) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, name, r.URL.Path) })}}
	server.Start()
	t.Cleanup(server.Close)
	return server
}
