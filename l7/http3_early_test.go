package l7

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// case B137: a visitor who comes again gets a session resumed, and no request before the handshake: it may be another's
// copy.
func TestNoEarlyRequests(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	url, client, _ := h.serveHTTP3()
	client.NextProtos = []string{http3.NextProtoH3}
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for _, again := range []bool{false, true} {
		conn, err := quic.DialAddrEarly(t.Context(), strings.TrimPrefix(url, "https://"), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		peer := (&http3.Transport{}).NewClientConn(conn)
		request, _ := http.NewRequest(http.MethodGet, url, nil)
		response, err := peer.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		state := conn.ConnectionState()
		if state.TLS.DidResume != again || state.Used0RTT {
			t.Errorf("again %v: resumed %v, 0-RTT %v", again, state.TLS.DidResume, state.Used0RTT)
		}
		conn.CloseWithError(0, "")
	}
}
