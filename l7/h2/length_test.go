package h2

import (
	"errors"
	"io"
	"testing"

	"github.com/fairlead/fairlead/l7/h1"
)

// An answer to HEAD, and a 304, say how long a body would be and have none, be the end in the header or behind it
// (RFC 9113, section 8.1.1).
func TestLengthsOfBodiesThatAreNotSent(t *testing.T) {
	for _, c := range []struct{ method, status string }{{"HEAD", "200"}, {"GET", "304"}} {
		a := newApp(t)
		done := a.ask(&h1.Request{Method: c.method, URI: "/", Host: "x"})
		p := a.accept()
		id := p.request().StreamID
		p.begin(id, p.encode(":status", c.status, "content-length", "100"), false)
		_ = p.framer.WriteData(id, true, nil)
		d := <-done
		if d.err != nil {
			t.Fatal(d.err)
		}
		if d.response.ContentLength != 0 || d.response.Header.Get("Content-Length") != "100" {
			t.Errorf("%s %s: %d bytes, told of %q", c.method, c.status, d.response.ContentLength, d.response.Header.Get("Content-Length"))
		}
		if n, err := d.response.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%s %s: read %d, %v", c.method, c.status, n, err)
		}
		d.response.Body.Close()
	}
}

// A body that is not there at all although the header tells of one was cut off; and two lengths are none.
func TestLengthsThatAreWrong(t *testing.T) {
	for _, lengths := range [][]string{{"5"}, {"0", "5"}, {"-1"}, {"+0"}} {
		a := newApp(t)
		done := a.ask(get())
		p := a.accept()
		pairs := []string{":status", "200"}
		for _, n := range lengths {
			pairs = append(pairs, "content-length", n)
		}
		p.begin(p.request().StreamID, p.encode(pairs...), true)
		if d := <-done; !errors.Is(d.err, h1.ErrResponse) {
			t.Errorf("%q: %v, %v", lengths, d.response, d.err)
		}
	}
}

// A 204 tells of none.
func TestLengthsOfNoContent(t *testing.T) {
	a := newApp(t)
	done := a.ask(get())
	p := a.accept()
	p.begin(p.request().StreamID, p.encode(":status", "204", "content-length", "0"), true)
	d := <-done
	if d.err != nil || d.response.Header.Has("Content-Length") {
		t.Errorf("got %v, %v", d.response, d.err)
	}
}
