package l7

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// opener is newHouse, for visitors of one protocol.
type opener func(*testing.T, func(*conf.Config)) *house

// overProtocols runs a test for visitors by HTTP/1.1, HTTP/2 and HTTP/3: what a house does for them is the same.
func overProtocols(t *testing.T, test func(*testing.T, opener)) {
	for proto, visit := range map[string]func(*house){
		"HTTP/1.1": func(*house) {},
		"HTTP/2.0": func(h *house) { h.over = h.http2Visitor().Transport },
		"HTTP/3.0": func(h *house) {
			h.front.certificates = anyName{}
			visitor, url := h.http3Visitor()
			h.over, h.addr = inOrder{visitor}, strings.TrimPrefix(url, "https://")
			h.url = url
		},
	} {
		t.Run(proto, func(t *testing.T) {
			test(t, func(t *testing.T, edit func(*conf.Config)) *house {
				h := newHouse(t, edit)
				h.proto, h.over = proto, visiting
				visit(h)
				return h
			})
		})
	}
}

// inOrder tells the race detector that an answer comes after what the app did for it: it knows that of what is read from a
// socket, but not of datagrams.
type inOrder struct{ http.RoundTripper }

func (o inOrder) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := o.RoundTripper.RoundTrip(r)
	if zero, failed := os.Open("/dev/zero"); failed == nil {
		_, _ = zero.Read(make([]byte, 1))
		zero.Close()
	}
	return answer, err
}

// scheme that visitors come by.
func (h *house) scheme() string {
	scheme, _, _ := strings.Cut(h.url, ":")
	return scheme
}
