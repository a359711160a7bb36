package l4

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// Whatever a client says, in whatever pieces, the app gets all that was read of it and nothing else, but for PostgreSQL's
// requests, which it is asked anew.
func FuzzPeek(f *testing.F) {
	hello := helloOf(f, "db.example.org")
	f.Add(hello, 3)
	f.Add(append(bytes.Clone(sslRequest), hello...), 8)
	f.Add(append(append(bytes.Clone(gssRequest), sslRequest...), hello...), 8)
	f.Add(sslRequest[:5], 2)
	f.Add([]byte("GET / HTTP/1.1\r\n"), 1)
	app := &app{name: "db"}
	port := &port{plain: &route{app: app}, names: map[string]*route{"db.example.org": {app: app, port: 1}}}
	f.Fuzz(func(t *testing.T, said []byte, piece int) {
		if piece < 1 || len(said) > 2*mostHello {
			return
		}
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		go speak(theirs, said, piece)
		go io.Copy(io.Discard, theirs) // the answers
		c := &connection{story: &story{}, client: ours}
		err := c.choose(port)
		if err != nil && !errors.Is(err, errGone) {
			t.Fatal(err)
		}
		if !readFrom(said, c.early) {
			t.Fatalf("of %q the app would get %q", said, c.early)
		}
		if err == nil && c.route.port == 1 {
			if name, err := serverName(c.early); err != nil || !strings.EqualFold(name, "db.example.org") {
				t.Fatalf("chosen by a name that is not there: %q, %v", name, err)
			}
		}
	})
}

// readFrom says whether early is the beginning of what was said, or of what follows PostgreSQL's requests in it.
func readFrom(said, early []byte) bool {
	for !bytes.HasPrefix(said, early) {
		if !bytes.HasPrefix(said, gssRequest) && !bytes.HasPrefix(said, sslRequest) {
			return false
		}
		said = said[len(sslRequest):]
	}
	return true
}

func speak(conn net.Conn, said []byte, piece int) {
	for len(said) > 0 {
		n := min(piece, len(said))
		if _, err := conn.Write(said[:n]); err != nil {
			return
		}
		said = said[n:]
	}
	conn.Close()
}
