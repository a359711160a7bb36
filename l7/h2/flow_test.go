package h2

import (
	"io"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/fields"
)

// sent is how much DATA of a stream has come until nothing more does.
func (p *peer) sent(id uint32) (n int) {
	synctest.Wait()
	for {
		select {
		case f, ok := <-p.frames:
			if !ok {
				return n
			}
			if data, is := f.(*http2.DataFrame); is && data.StreamID == id {
				n += int(data.Length)
			}
		default:
			return n
		}
	}
}

// An answer goes as far as the peer's windows do, the stream's and the connection's, and on when they open. One that was
// made smaller under way is below zero first (RFC 9113 section 6.9.2).
func TestAnswersKeepToTheWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
			_ = s.Header(200, nil, false)
			_, _ = s.Write(make([]byte, 200_000))
			_ = s.CloseWrite()
		}}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
		p.begin(1, p.header("GET"), true)
		step := func(what string, want int) {
			t.Helper()
			if n := p.sent(1); n != want {
				t.Errorf("%s: %d bytes, want %d", what, n, want)
			}
		}
		step("the first window", 1000)
		_ = p.framer.WriteWindowUpdate(1, 500)
		step("a wider one", 500)
		_ = p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 400})
		_ = p.framer.WriteWindowUpdate(1, 600)
		step("a smaller one, which owes what was sent", 0)
		_ = p.framer.WriteWindowUpdate(1, 1)
		step("one byte", 1)
		_ = p.framer.WriteWindowUpdate(1, 1<<20)
		step("as much as the connection takes", firstWindow-1501)
		_ = p.framer.WriteWindowUpdate(0, 1<<20)
		step("the rest", 200_000-firstWindow)
		p.conn.Close()
	})
}

// A body that nobody reads stays with the peer: its window opens as it is read, and what padding took comes back at once.
func TestBodiesAreTakenAsTheyAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := make(chan int)
		p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
			for n := range read {
				_, _ = io.CopyN(io.Discard, s, int64(n))
			}
		}})
		p.begin(1, p.header("POST"), false)
		const window = 512 << 10
		for range window / frameSize {
			_ = p.framer.WriteData(1, false, make([]byte, frameSize))
		}
		opened := func() (stream, connection int) {
			synctest.Wait()
			for {
				select {
				case f := <-p.frames:
					if f, ok := f.(*http2.WindowUpdateFrame); ok && f.StreamID == 1 {
						stream += int(f.Increment)
					} else if ok && f.Increment != 4<<20-firstWindow {
						connection += int(f.Increment)
					}
				default:
					return stream, connection
				}
			}
		}
		if stream, connection := opened(); stream != 0 || connection != 0 {
			t.Errorf("unread, %d and %d were given back", stream, connection)
		}
		read <- window
		if stream, _ := opened(); stream != window {
			t.Errorf("read, %d were given back", stream)
		}
		for range window / 256 {
			_ = p.framer.WriteDataPadded(1, false, nil, make([]byte, 255))
		}
		if stream, connection := opened(); stream < window*3/4 || connection < window {
			t.Errorf("of padding, %d were given back, and %d in all", stream, connection)
		}
		close(read)
		p.conn.Close()
	})
}

// Trailers go both ways, also after a body of nothing.
func TestTrailers(t *testing.T) {
	p := served(t, &Server{Handler: func(s *Stream, r *Request) {
		_, err := io.Copy(io.Discard, s)
		trailer, ended := s.Trailer()
		_ = s.Header(200, fields.List{{Name: "X-Length", Value: "none"}}, false)
		if err == nil && ended {
			_ = s.CloseWithTrailer(fields.List{{Name: "X-Back", Value: trailer.Get("x-up")}, {Name: "Connection", Value: "close"}})
		}
	}})
	p.begin(1, p.header("POST", "trailer", "x-up"), false)
	p.begin(1, p.encode("x-up", "1"), true)
	if f := next[*http2.MetaHeadersFrame](p); f.PseudoValue("status") != "200" || f.StreamEnded() {
		t.Errorf("got %v", f)
	}
	f := next[*http2.MetaHeadersFrame](p)
	if !f.StreamEnded() || len(f.Fields) != 1 || f.Fields[0].Name != "x-back" || f.Fields[0].Value != "1" {
		t.Errorf("the trailer is %v", f)
	}
}
