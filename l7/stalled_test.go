package l7

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// endless answers for as long as somebody takes it, and says when nobody does.
func endless(over chan<- struct{}) http.HandlerFunc {
	part := make([]byte, 64<<10)
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(part); err != nil {
				break
			}
		}
		over <- struct{}{}
	}
}

// Who stops reading an answer gives its replica's place back, over HTTP/2 as over HTTP/3, though his connection lives.
func TestStalledDownloadsEnd(t *testing.T) {
	const stall = 300 * time.Millisecond
	for name, begin := range map[string]func(*house) (answers func() error){
		"HTTP/2": func(h *house) func() error {
			peer := h.http2Peer()
			peer.ask(1, nil, true)
			return func() error {
				f, ok := peer.until(http2.FrameRSTStream).(*http2.RSTStreamFrame)
				if !ok {
					return errors.New("the connection ended")
				}
				return http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode}
			}
		},
		"HTTP/3": func(h *house) func() error {
			stream := h.http3Stream()
			stream.Close()
			return func() error {
				response, err := stream.ReadResponse()
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, response.Body)
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, nil)
			h.front.h2.StallTimeout, h.front.pace.stall = stall, stall
			over := make(chan struct{}, 1)
			h.replica("hello", "r1", endless(over))
			rest := begin(h)
			select {
			case <-over:
			case <-time.After(10 * time.Second):
				t.Fatal("the app still answers")
			}
			h.idle("hello")
			if err := rest(); err == nil {
				t.Error("it ended as if it were whole")
			}
			if lines := h.access.all(); len(lines) != 1 {
				t.Errorf("the log has %q", lines)
			}
		})
	}
}

// case B122: a body that stops coming is waited for only so long. gRPC's is not hurried: its streams begin with silence.
func TestSlowBodiesAreRefused(t *testing.T) {
	const patience = 200 * time.Millisecond
	h := newHouse(t, nil)
	h.front.h2.BodyTimeout, h.front.pace.body = patience, patience
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			_, _ = io.WriteString(w, "all of it")
		}
	})
	peer := h.http2Peer()
	peer.begin(1, peer.block("POST", nil), false)
	if status := peer.status(1); status != "408" {
		t.Errorf("HTTP/2: status %s", status)
	}
	visitor, url := h.http3Visitor()
	post := func(kind string) (body io.Closer, answered chan int) {
		from, into := io.Pipe()
		request, _ := http.NewRequestWithContext(t.Context(), "POST", url, from)
		request.Host = "example.com"
		request.Header.Set("Content-Type", kind)
		answered = make(chan int, 1)
		go func() {
			response, err := visitor.RoundTrip(request)
			if err != nil {
				t.Error(err)
			} else {
				answered <- response.StatusCode
			}
			close(answered)
		}()
		return into, answered
	}
	if _, status := post("text/plain"); <-status != 408 {
		t.Error("HTTP/3: another status than 408")
	}
	call, status := post("application/grpc")
	peer.begin(3, peer.block("POST", http.Header{"Content-Type": {"application/grpc"}}), false)
	time.Sleep(2 * patience) // neither has a right to end before
	if err := peer.framer.WriteData(3, true, nil); err != nil {
		t.Fatal(err)
	}
	call.Close()
	if status := peer.status(3); status != "200" {
		t.Errorf("gRPC by HTTP/2: status %s", status)
	}
	if now := <-status; now != 200 {
		t.Errorf("gRPC by HTTP/3: status %d", now)
	}
	h.idle("hello")
}
