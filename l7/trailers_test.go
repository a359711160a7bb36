package l7

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/textproto"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// case B112: what a visitor must not say of himself in his header, he must not say behind his body; nor what is no trailer.
func TestTrailersSayNoMoreThanHeaders(t *testing.T) {
	spoofed := []string{"X-Forwarded-For", "Client-Cert", "X_real_ip"}
	framing := []string{"Host", "Content-Length", "Keep-Alive", "Upgrade", "Te"}
	for name, trusted := range map[string]bool{"from a stranger": false, "from a trusted proxy": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, func(c *conf.Config) {
				if trusted {
					c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
				}
			})
			trailers := make(chan textproto.MIMEHeader, 1)
			h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
				head(r)
				_, _ = io.Copy(io.Discard, httputil.NewChunkedReader(r))
				got, _ := textproto.NewReader(r).ReadMIMEHeader()
				trailers <- got
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
			})
			said := strings.Join(append(append([]string{"X-Sum"}, spoofed...), framing...), ": 1\r\n") + ": 1\r\n"
			h.raw("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n" + said + "\r\n")
			got := http.Header(<-trailers)
			if got.Get("X-Sum") != "1" {
				t.Errorf("the trailer is %v", got)
			}
			for _, name := range framing {
				if got.Get(name) != "" {
					t.Errorf("the app was told %s", name)
				}
			}
			for _, name := range spoofed {
				if spoke := got.Get(name) != ""; spoke != (trusted && !strings.Contains(name, "_")) {
					t.Errorf("the app was told %s: %v", name, spoke)
				}
			}
		})
	}
}
