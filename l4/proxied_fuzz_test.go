package l4

import (
	"bytes"
	"net"
	"net/netip"
	"testing"
	"time"
)

// Whatever a trusted proxy sends is a client's address, a connection of its own, or a refusal: never a hang, and no byte
// that came with a header is lost.
func FuzzIdentify(f *testing.F) {
	f.Add([]byte("PROXY TCP4 203.0.113.7 198.51.100.1 1234 443\r\nhello"))
	f.Add([]byte("PROXY UNKNOWN\r\n"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xcb\x00\x71\x07\xc6\x33\x64\x01\x04\xd2\x01\xbbhello"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() {
			defer theirs.Close()
			_ = theirs.SetDeadline(time.Now().Add(patient))
			_, _ = theirs.Write(said)
		}()
		c := &connection{story: &story{}, client: ours}
		c.comes(&net.TCPAddr{IP: net.ParseIP(trusted)}, nil)
		trusting := &table{proxied: map[string]bool{"": true}, trusted: proxies{netip.MustParsePrefix(trusted + "/32")}}
		err := c.identify(trusting)
		if err == nil && !c.source.IsValid() {
			t.Errorf("%q: nobody's address", said)
		}
		if err == nil && !bytes.HasSuffix(said, c.early) {
			t.Errorf("%q: kept %q of it", said, c.early)
		}
	})
}
