package l4

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// helloOf is a ClientHello as Go's client writes it.
func helloOf(t testing.TB, name string) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		_ = tls.Client(theirs, &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake()
		theirs.Close()
	}()
	head := make([]byte, recordHeader)
	if _, err := io.ReadFull(ours, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(head[3])<<8|int(head[4]))
	if _, err := io.ReadFull(ours, body); err != nil {
		t.Fatal(err)
	}
	return append(head, body...)
}

// fragmented is the same ClientHello in records of at most n bytes.
func fragmented(hello []byte, n int) (split []byte) {
	for body := hello[recordHeader:]; len(body) > 0; {
		k := min(n, len(body))
		split = append(split, recordHandshake, 3, 1, byte(k>>8), byte(k))
		split = append(split, body[:k]...)
		body = body[k:]
	}
	return split
}

func TestServerName(t *testing.T) {
	hello := helloOf(t, "db.example.org")
	for _, whole := range [][]byte{hello, fragmented(hello, 1), fragmented(hello, 3), fragmented(hello, 100), append(hello, "more"...)} {
		if name, err := serverName(whole); err != nil || name != "db.example.org" {
			t.Errorf("got %q, %v", name, err)
		}
	}
	for n := range hello {
		if name, err := serverName(hello[:n]); !errors.Is(err, errMore) {
			t.Fatalf("of %d bytes: %q, %v", n, name, err)
		}
	}
	if name, err := serverName(helloOf(t, "")); err != nil || name != "" {
		t.Errorf("without a name: %q, %v", name, err)
	}
}

// It is asked again with each piece that comes: of a long one in records of a byte, nothing is put together before all is
// there.
func TestIncompleteHelloIsNotCopied(t *testing.T) {
	split := fragmented(helloOf(t, "db.example.org"), 1)
	if n := testing.AllocsPerRun(10, func() { _, _ = serverName(split[:len(split)-1]) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// What is not TLS is known by its first bytes: it is not waited for.
func TestNotTLS(t *testing.T) {
	hello := helloOf(t, "a.b")
	tooLong := append([]byte{recordHandshake, 3, 1, 0, 4}, messageHello, 2, 0, 0)
	another := bytes.Clone(hello) // message, a ServerHello by its type
	another[recordHeader] = 2
	for _, said := range []string{
		"G", "GET / HTTP/1.1\r\n", "SSH-2.0-x", "\x16\x02", "\x16\x03\x01\xff\xff", "\x16\x03\x01\x00\x00", "\x16\x03\x01\x00\x04\x02\x00\x00\x00",
		"\x16\x03\x01\x00\x04\x02\x00\x00\x01", string(another),
		string(tooLong), string(hello[:5]) + strings.Repeat("\x01\x00\x00\x10", len(hello)),
	} {
		if name, err := serverName([]byte(said)); !errors.Is(err, errNoTLS) {
			t.Errorf("%.20q: got %q, %v", said, name, err)
		}
	}
}

// Nothing that a client can say panics, and what is decided stays decided when more comes.
func FuzzServerName(f *testing.F) {
	hello := helloOf(f, "db.example.org")
	f.Add(hello, 10)
	f.Add(fragmented(hello, 7), 100)
	f.Add(helloOf(f, ""), 3)
	f.Add([]byte("GET / HTTP/1.1"), 4)
	f.Add(sslRequest, 8)
	f.Fuzz(func(t *testing.T, said []byte, cut int) {
		if cut < 0 || cut > len(said) {
			return
		}
		early, earlyErr := serverName(said[:cut])
		name, err := serverName(said)
		if !errors.Is(earlyErr, errMore) && (early != name || !errors.Is(err, earlyErr)) {
			t.Fatalf("%q, %v became %q, %v", early, earlyErr, name, err)
		}
		if err != nil && !errors.Is(err, errMore) && !errors.Is(err, errNoTLS) {
			t.Fatalf("unknown error %v", err)
		}
	})
}
