package enginetest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Fake serves a handler on a unix socket, as an engine would, until the test ends.
func Fake(t *testing.T, handler http.Handler) (url string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "fake") // t.TempDir may be longer than a socket's path can be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	FakeAt(t, path, handler)
	return "unix://" + path
}

// FakeAt is Fake at a path of choice. The server is returned so that a test can close it and put another in its place.
func FakeAt(t *testing.T, path string, handler http.Handler) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.CloseClientConnections) // Close waits for requests that a test left hanging
	return server
}
