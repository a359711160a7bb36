package runtime

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fairlead/fairlead/runtime/tunnel"
)

// What is remembered of an engine holds only until the next dial: a ping must not cause one.
func TestPingKeepsItsConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "OK")
	}))
	defer server.Close()
	socket, err := NewSocket("tcp"+server.URL[len("http"):], nil, tunnel.SSH{})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for range 3 {
		if _, err := socket.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if dials := socket.Dials(); dials != 1 {
		t.Errorf("three pings made %d dials, want 1", dials)
	}
}
