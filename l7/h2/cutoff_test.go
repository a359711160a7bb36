package h2

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// A body ends with its stream, not with its connection: what was cut off is not whole, be it ever so orderly that the
// peer's side of TCP has ended.
func TestAnswersThatEndWithTheirConnection(t *testing.T) {
	a := newApp(t)
	done := a.ask(get())
	p := a.accept()
	id := p.request().StreamID
	p.begin(id, p.encode(":status", "200"), false)
	d := <-done
	if d.err != nil {
		t.Fatal(d.err)
	}
	_ = p.framer.WriteData(id, false, []byte("a part"))
	p.conn.Close()
	got, err := io.ReadAll(d.response.Body)
	if string(got) != "a part" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", got, err)
	}
	d.response.Body.Close()
}

func TestUploadsThatEndWithTheirConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
			_, err := io.ReadAll(s)
			ended <- err
		}})
		p.begin(1, p.header("POST"), false)
		_ = p.framer.WriteData(1, false, []byte("a part"))
		synctest.Wait() // nothing is being said to the peer any more
		p.conn.Close()
		if err := <-ended; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", err)
		}
	})
}
