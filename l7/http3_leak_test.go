package l7

import (
	"io"
	"net/http"
	"os"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Whatever visitors by HTTP/3 did, nothing is left of them: no goroutine, no descriptor, no memory and no lease.
func TestHTTP3LeavesNothing(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 10)
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
	})
	url, client, _ := h.serveHTTP3()
	client.NextProtos = []string{http3.NextProtoH3}
	round := func() {
		for i := range 20 {
			conn, err := quic.DialAddr(t.Context(), strings.TrimPrefix(url, "https://"), client, nil)
			if err != nil {
				t.Fatal(err)
			}
			peer := (&http3.Transport{}).NewClientConn(conn)
			for j := range 10 {
				spoil(t, peer, url, i+j)
			}
			_ = conn.CloseWithError(0, "")
		}
		h.idle("hello")
	}
	round() // fills pools, and the client's connections to the app
	before := held(t, 2)
	for range 3 {
		round()
	}
	eventually(t, "goroutines and descriptors are what they were", func() bool {
		now := held(t, 0)
		return now.goroutines <= before.goroutines+5 && now.descriptors <= before.descriptors+5
	})
	if now := held(t, 2); now.heap > before.heap+8<<20 { // 600 connections of 75 KiB would be 45 MiB
		t.Errorf("the heap has grown from %d to %d KiB", before.heap>>10, now.heap>>10)
	}
}

// spoil ends a request in one of the ways that clients have.
func spoil(t *testing.T, peer *http3.ClientConn, url string, way int) {
	t.Helper()
	stream, err := peer.OpenRequestStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequest("GET", url, nil)
	request.Host = "example.com"
	if err := stream.SendRequestHeader(request); err != nil {
		return
	}
	switch way % 4 {
	case 0: // leaves in the middle of the answer
		stream.Close()
		_, _ = stream.ReadResponse()
		stream.CancelRead(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
	case 1: // never ends its body, and nobody reads an answer
		_, _ = stream.Write([]byte("some"))
	case 2: // takes back what it has begun
		stream.CancelWrite(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
		stream.CancelRead(quic.StreamErrorCode(http3.ErrCodeRequestCanceled))
	case 3: // never says that there is no body
	}
}

// use of the process.
type use struct {
	goroutines, descriptors int
	heap                    uint64
}

// held is what is in use, after so many collections of garbage.
func held(t *testing.T, collections int) use {
	t.Helper()
	for range collections {
		goruntime.GC()
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	open, _ := os.ReadDir("/proc/self/fd") // empty where there is no such thing
	return use{goruntime.NumGoroutine(), len(open), m.HeapAlloc}
}
