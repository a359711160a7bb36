package h3

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"golang.org/x/net/http/httpguts"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

// FuzzFrames: what frames say does not depend on how they are cut, and no end inside one is a good end.
func FuzzFrames(f *testing.F) {
	for _, seed := range [][]byte{
		request("GET"), frame(0x21, []byte("an extension")), frame(frameData, nil), frame(0x6, nil), {0}, {0x40}, {0xc0, 0, 0, 0, 0, 0, 0, 1, 0},
		append(frame(0x40, bytes.Repeat([]byte("x"), 5000)), frame(frameData, []byte("x"))...), {0x21, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		said, end := framesOf(t, bytes.NewReader(data))
		cut, sameEnd := framesOf(t, iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(data))))
		if !bytes.Equal(said, cut) || !errors.Is(sameEnd, end) {
			t.Errorf("%x: %x, %v; cut: %x, %v", data, said, end, cut, sameEnd)
		}
		if end != io.EOF && !errors.Is(end, connectionError(frameError)) {
			t.Errorf("%x: ended with %v", data, end)
		}
		if end == io.EOF && len(data) > 0 && len(said) == 0 && data[0] <= frameHeaders {
			t.Errorf("%x: lost", data)
		}
	})
}

// framesOf writes down what frames there are, and why there are no more.
func framesOf(t *testing.T, from io.Reader) (said []byte, end error) {
	in := inflow{from: from, buffer: make([]byte, 16)}
	for {
		kind, length, err := in.next()
		if err != nil {
			return said, err
		}
		if !known(kind) {
			t.Errorf("%#x came through", kind)
		}
		if length > 1<<16 {
			in.toss, length = length, 0
		}
		payload, err := in.whole(int(length))
		if err != nil {
			return said, err
		}
		said = append(said, frame(kind, payload)...)
	}
}

// FuzzRequests: what is accepted can be said again in HTTP/1.1, and is within its bounds.
func FuzzRequests(f *testing.F) {
	for _, seed := range [][]byte{
		request("GET", "a", "b", "cookie", "c=d"), request("POST", "content-length", "3"), request("GET", "host", "hello"),
		headers(":method", "CONNECT", ":authority", "hello:443"), request("CONNECT", ":protocol", "websocket"), request("GET", "A", "\x00"),
	} {
		f.Add(seed[2:])
	}
	const most = 1 << 10
	f.Fuzz(func(t *testing.T, block []byte) {
		r, err := requestOf(block, most)
		if r == nil || sizeOf(r.Fields) > most {
			t.Fatalf("%x: got %v", block, r)
		}
		if err == nil {
			checkRequest(t, r)
		}
		if trailer, err := trailerOf(block, most); err == nil {
			checkFields(t, trailer)
		}
	})
}

func checkRequest(t *testing.T, r *h2.Request) {
	if r.Method == "" || r.Authority == "" || r.Length < -1 || r.Protocol != "" && r.Method != "CONNECT" {
		t.Errorf("accepted %+v", r)
	}
	for _, s := range []string{r.Method, r.Scheme, r.Authority, r.Path, r.Protocol} {
		if !httpguts.ValidHeaderFieldValue(s) {
			t.Errorf("accepted %q", s)
		}
	}
	checkFields(t, r.Fields)
}

func checkFields(t *testing.T, l fields.List) {
	for _, f := range l {
		if !httpguts.ValidHeaderFieldName(f.Name) || h2.Lower(f.Name) != f.Name || !httpguts.ValidHeaderFieldValue(f.Value) {
			t.Errorf("accepted %q", f)
		}
		if h2.Forbidden(f.Name, f.Value) {
			t.Errorf("accepted %q of the connection", f)
		}
	}
}

func sizeOf(l fields.List) (n int) {
	for _, f := range l {
		n += len(f.Name) + len(f.Value) + 32
	}
	return n
}
