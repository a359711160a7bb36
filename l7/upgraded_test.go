//go:build linux

package l7

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"
)

// stacks of all goroutines.
func stacks() string {
	all := make([]byte, 4<<20)
	return string(all[:goruntime.Stack(all, true)])
}

// An upgrade to a connection without TLS holds no goroutine, and all the same its lease, its place and its line of the log.
func TestIdleWebSocketsHoldNoGoroutine(t *testing.T) {
	h := newHouse(t, nil)
	app := h.app("hello")
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(conn, switched)
		_, _ = io.Copy(conn, r)
	})
	const many = 20
	var all []net.Conn // each gets its message back, and a close frame in the end
	for range many {
		conn, r, header := h.socket(handshake)
		if !strings.HasPrefix(header, "HTTP/1.1 101 ") {
			t.Fatalf("got %q", header)
		}
		frame := []byte{0x82, 1, 'x'}
		_, _ = conn.Write(frame)
		if back := make([]byte, 3); !gets(r, back) || !bytes.Equal(back, frame) {
			t.Fatalf("got %q", back)
		}
		all = append(all, conn)
	}
	eventually(t, "no goroutine serves them", func() bool {
		now := stacks()
		return !strings.Contains(now, "l7.(*Front).Tell") && !strings.Contains(now, "h1.(*inbound)") && !strings.Contains(now, "byGoroutines")
	})
	held := func() (leases int) {
		for _, row := range app.Snapshot().Rows {
			leases += int(row.Leases())
		}
		return leases
	}
	if n := held(); n != many || len(h.access.all()) != 0 {
		t.Errorf("%d leases, lines %q", n, h.access.all())
	}
	for _, conn := range all {
		conn.Close()
	}
	h.idle("hello")
	eventually(t, "each has its line", func() bool { return len(h.access.all()) == many })
	if line := h.access.all()[0]; !strings.Contains(line, `"path":"/socket"`) || !strings.Contains(line, `"bytes":7`) || !strings.Contains(line, `"replica":"r1"`) {
		t.Errorf("the log says %q", line)
	}
}

func gets(r io.Reader, p []byte) bool {
	_, err := io.ReadFull(r, p)
	return err == nil
}

// What the log says of an upgrade is what was asked, though the connection's buffer has served others since.
func TestUpgradesAreLoggedAsTheyWere(t *testing.T) {
	h := newHouse(t, nil)
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		if asked := head(r); strings.Contains(asked, "Upgrade: WebSocket") {
			_, _ = io.WriteString(conn, switched)
			_, _ = io.Copy(io.Discard, r)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	conn, _, _ := h.socket(strings.Replace(handshake, "\r\n\r\n", "\r\nUser-Agent: the one\r\nReferer: http://here/\r\n\r\n", 1))
	for range 50 {
		h.get("/xxxxxxxxxxxxxxxxxxxxxxxxxx", "User-Agent", "another one", "Referer", "http://elsewhere/")
	}
	eventually(t, "the others are written down", func() bool { return len(h.access.all()) == 50 })
	conn.Close()
	eventually(t, "its line is there", func() bool { return len(h.access.all()) == 51 })
	last := h.access.all()[50]
	for _, want := range []string{`"method":"GET"`, `"path":"/socket"`, `"agent":"the one"`, `"referer":"http://here/"`, `"status":101`, `"upgraded":true`, `"app":"hello"`} {
		if !strings.Contains(last, want) {
			t.Errorf("no %s in %s", want, last)
		}
	}
}

// P5: an app that dies with WebSockets and idle connections ends all of them; that is told at once, though the visitors of
// the WebSockets have not left yet.
func TestDeathIsToldByWebSocketsToo(t *testing.T) {
	h := newHouse(t, nil)
	dies := make(chan struct{})
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		if asked := head(r); strings.Contains(asked, "Upgrade: WebSocket") {
			_, _ = io.WriteString(conn, switched)
		} else {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
		<-dies
	})
	h.socket(handshake)
	if a := h.get("/"); a.StatusCode != http.StatusOK {
		t.Fatalf("got %v", a.Response)
	}
	close(dies)
	eventually(t, "it is told", func() bool { return len(h.reports.ends()) == 1 })
}

// Over TLS an upgrade outlives its request just as well, carried by goroutines.
func TestWebSocketsOverTLS(t *testing.T) {
	h := newHouse(t, nil)
	h.front.certificates = anyName{}
	h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
		head(r)
		_, _ = io.WriteString(conn, switched)
		_, _ = io.Copy(conn, r)
	})
	server, client := testTLS(t)
	client.NextProtos = []string{"http/1.1"}
	conn, err := tls.Dial("tcp", h.serveTLS(server), client)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, handshake)
	r := bufio.NewReader(conn)
	if header := head(r); !strings.HasPrefix(header, "HTTP/1.1 101 ") {
		t.Fatalf("got %q", header)
	}
	eventually(t, "its request is over", func() bool { return !strings.Contains(stacks(), "l7.(*Front).Tell") })
	for range 3 {
		frame := []byte{0x82, 1, 'x'}
		_, _ = conn.Write(frame)
		if back := make([]byte, 3); !gets(r, back) || !bytes.Equal(back, frame) {
			t.Fatalf("got %q", back)
		}
	}
	h.app("hello").Remove("r1", 0) // P5
	if last := make([]byte, 4); !gets(r, last) || !bytes.Equal(last, closing(statusServiceRestart)) {
		t.Errorf("the last words are %q", last)
	}
	conn.Close()
	eventually(t, "its line is written", func() bool { return len(h.access.all()) == 1 })
}
