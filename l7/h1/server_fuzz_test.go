package h1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// FuzzRequestHead: what is taken for a request, net/http takes for the same one: we may only be stricter. And it does
// not matter in how many pieces it comes.
func FuzzRequestHead(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\r\nGET /a%20b?c=%zz HTTP/1.0\r\nA: b\r\na:\tc \r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET http://x:80/a HTTP/1.1\r\nHost: x:80\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET //x@y:z/..?#  HTTP/1.1\r\nHost: x\r\nConnection: close, te\r\nExpect: 100-continue\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h := &requestHead{}
		n, err := h.parse(data)
		inPieces(t, data, n, err)
		if err != nil {
			return
		}
		sameAsNetHTTP(t, h, data[:n])
	})
}

func inPieces(t *testing.T, data []byte, n int, want error) {
	h := &requestHead{}
	for size := range len(data) + 1 {
		got, err := h.parse(data[:size])
		if errors.Is(err, errMore) && size < len(data) {
			continue
		}
		if got != n || !errors.Is(err, want) {
			t.Fatalf("in pieces %d, %v; at once %d, %v", got, err, n, want)
		}
		return
	}
}

func sameAsNetHTTP(t *testing.T, h *requestHead, data []byte) {
	data = bytes.TrimPrefix(data, []byte("\r\n"))
	other, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data)))
	if err != nil {
		t.Fatalf("net/http refuses %q: %v", data, err)
	}
	if other.Method != h.method || other.RequestURI != h.target || !strings.EqualFold(other.Host, h.host) ||
		other.ContentLength != h.length || (len(other.TransferEncoding) > 0) != (h.length < 0) || other.Close == h.persist && h.minor > 0 {
		t.Errorf("read %v; net/http read %s %s %s %d %v %v", h, other.Method, other.RequestURI, other.Host, other.ContentLength, other.TransferEncoding, other.Close)
	}
	lines := 0
	for name, values := range other.Header {
		lines += len(values)
		if ours := h.fields.Joined(name); ours != strings.Join(values, ", ") {
			t.Errorf("%s: read %q, net/http read %q", name, ours, values)
		}
	}
	for _, f := range h.fields {
		if f.Is("Transfer-Encoding") {
			lines++ // it takes that one out
		}
	}
	if lines != len(h.fields) {
		t.Errorf("read %d lines, net/http %d", len(h.fields), lines)
	}
}

// FuzzDechunk: a chunked body never yields more than was sent, it does not matter in how many pieces it comes, and where it
// ends well net/http reads the same data.
func FuzzDechunk(f *testing.F) {
	for _, seed := range []string{
		"1\r\na\r\n0\r\n\r\n", "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\nGET", "0\n\n", "-1\r\n", "1\r\nab\r\n", "0\r\nA:\r\n\r\n", "01\r\na\r\n0;\r\n\r\n",
	} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		got, rest, d, err := dechunked(string(data), len(data))
		again, restAgain, _, errAgain := dechunked(string(data), max(1, size%64))
		if again != got && err == nil || (err == nil) != (errAgain == nil) || err == nil && rest != restAgain {
			t.Errorf("at once %q, %q, %v; in pieces %q, %q, %v", got, rest, err, again, restAgain, errAgain)
		}
		if len(got) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(got))
		}
		if err != nil || !d.done() {
			return
		}
		const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
		other, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head), bytes.NewReader(data))))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(other.Body)
		if err != nil || string(want) != got {
			t.Errorf("read %q, net/http %q, %v", got, want, err)
		}
	})
}
