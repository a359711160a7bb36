package h1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// FuzzHead: what is accepted is unambiguous: net/http's parser takes the same bytes for the same response, and every
// name and value can be written again as it was read.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{
		ok, switching, "HTTP/1.1 200\n\n", "HTTP/1.0 404 Not Found\r\nA: b\r\na:\tc \r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nB: c\r\n\r\n",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\r\nA\x00: b\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reader := &inflow{from: bytes.NewReader(data)}
		h := &head{}
		if err := h.read(&lines{reader: reader, left: 64 << 10}); err != nil {
			return
		}
		if h.status < 100 || h.status > 999 || !isValue(h.reason) {
			t.Errorf("accepted status %d %q", h.status, h.reason)
		}
		checkAccepted(t, h)
		framed, err := frame("GET", h)
		if err == nil && h.status >= 200 {
			checkSame(t, data, h, framed)
		}
	})
}

func checkAccepted(t *testing.T, h *head) {
	for _, f := range h.header {
		if !isToken(f.Name) || !isValue(f.Value) || strings.Trim(f.Value, " \t") != f.Value {
			t.Errorf("accepted %q", f)
		}
	}
}

// checkSame compares with a second opinion, if there is one: net/http is stricter in places.
func checkSame(t *testing.T, data []byte, h *head, framed framing) {
	other, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
	if err != nil {
		return
	}
	defer other.Body.Close()
	if other.StatusCode != h.status || other.ContentLength != framed.length || (len(other.TransferEncoding) > 0) != (framed.chunked) {
		t.Errorf("read %d, %+v; net/http read %d, %d, %v", h.status, framed, other.StatusCode, other.ContentLength, other.TransferEncoding)
	}
}

// FuzzChunks: a chunked body never yields more than was sent, never panics, and where it ends well, net/http agrees.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{"1\r\na\r\n0\r\n\r\n", "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n", "0\n\n", "-1\r\n", "1\r\nab\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(newChunks(&inflow{from: bytes.NewReader(data)}, 4<<10))
		if len(got) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(got))
		}
		if err != nil {
			return
		}
		const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		other, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(head), bytes.NewReader(data))), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(other.Body)
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("read %q, net/http %q", got, want)
		}
	})
}
