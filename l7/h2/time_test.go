package h2

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/fairlead/fairlead/l7/h1"
)

// Who says too little for too long is not waited for, whatever it is that he does not say.
func TestSilenceEnds(t *testing.T) {
	hold := func(s *Stream, _ *Request) { <-s.Context().Done() }
	for name, test := range map[string]struct {
		say  func(p *peer)
		want time.Duration // from the last word to the connection's end
		code http2.ErrCode
	}{
		"no preface":     {func(*peer) {}, HeaderTimeout, 0},
		"half a preface": {func(p *peer) { _, _ = io.WriteString(p.conn, http2.ClientPreface[:10]) }, HeaderTimeout, 0},
		"nothing to ask": {func(p *peer) { p.greet() }, IdleTimeout + time.Second, http2.ErrCodeNo},
		"no answer to a PING": {func(p *peer) {
			p.greet()
			p.begin(1, p.header("GET"), true)
		}, 45 * time.Second, 0},
		"a header block without its end": {func(p *peer) {
			p.greet()
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.header("GET")})
		}, 3 * HeaderTimeout, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := connected(t, &Server{Handler: hold})
				go p.listen()
				test.say(p)
				began := time.Now()
				if code := p.end(); code != test.code {
					t.Errorf("it ended with %v", code)
				}
				if took := time.Since(began); took < test.want-time.Second || took > test.want+2*time.Second {
					t.Errorf("it ended after %v, want %v", took, test.want)
				}
			})
		})
	}
}

func (p *peer) greet() {
	_, _ = io.WriteString(p.conn, http2.ClientPreface)
	_ = p.framer.WriteSettings()
}

// A peer who answers PINGs is waited for as long as it takes; so is a conversation.
func TestConversationsMayPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
			_ = s.Header(200, nil, false)
			_ = s.Flush()
			_, err := io.Copy(io.Discard, s)
			if err != nil {
				t.Errorf("the body: %v", err)
			}
			_ = s.CloseWrite()
		}})
		p.begin(1, p.header("POST"), false)
		for end := time.Now().Add(time.Hour); time.Now().Before(end); {
			if f := next[*http2.PingFrame](p); f == nil {
				t.Fatal("the connection ended")
			}
			_ = p.framer.WritePing(true, [8]byte{1})
		}
		_ = p.framer.WriteData(1, true, nil)
		for f := next[*http2.DataFrame](p); !f.StreamEnded(); f = next[*http2.DataFrame](p) {
		}
		p.conn.Close()
	})
}

// case B122: a body has a pace until its answer begins, and every byte earns a little patience.
func TestBodiesHaveAPace(t *testing.T) {
	for name, test := range map[string]struct {
		bytes   int           // in each piece
		every   time.Duration // comes one
		patient bool
		want    error
	}{
		"nothing":              {0, time.Hour, false, h1.ErrSlowBody},
		"a byte every 5 s":     {1, 5 * time.Second, false, h1.ErrSlowBody},
		"a KiB a second":       {1 << 10, time.Second, false, nil},
		"a byte, and patience": {1, 5 * time.Second, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read := make(chan error, 1)
				p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
					if test.patient {
						s.Patient()
					}
					_, err := io.Copy(io.Discard, s)
					read <- err
				}})
				p.begin(1, p.header("POST"), false)
				for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(test.every) {
					_ = p.framer.WriteData(1, false, make([]byte, test.bytes))
				}
				_ = p.framer.WriteData(1, true, nil)
				if err := <-read; !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				p.conn.Close()
			})
		})
	}
}

// Who takes nothing of his answer is waited for only so long; who takes a little is not cut. A tunnel may stand still.
func TestStalledAnswersAreReset(t *testing.T) {
	for name, test := range map[string]struct {
		every  time.Duration // the window opens by a byte
		tunnel bool
		want   error
	}{
		"nothing": {time.Hour, false, errStalled},
		"little":  {4 * time.Minute, false, nil},
		"tunnel":  {time.Hour, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wrote := make(chan error, 1)
				p := served(t, &Server{Handler: func(s *Stream, _ *Request) {
					_ = s.Header(200, nil, false)
					var to io.Writer = s
					if test.tunnel {
						to = s.Tunnel()
					}
					_, err := to.Write(make([]byte, 70_000))
					wrote <- err
				}})
				p.begin(1, p.header("GET"), true)
				began := time.Now()
				for opened := began; time.Since(began) < time.Hour; time.Sleep(5 * time.Second) {
					p.answerPings()
					if time.Since(opened) >= test.every {
						opened = time.Now()
						_ = p.framer.WriteWindowUpdate(0, 1)
						_ = p.framer.WriteWindowUpdate(1, 1)
					}
				}
				var err error
				select {
				case err = <-wrote:
				default:
				}
				if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				p.conn.Close()
			})
		})
	}
}

// answerPings of those that have come.
func (p *peer) answerPings() {
	for {
		select {
		case f, ok := <-p.frames:
			if ping, is := f.(*http2.PingFrame); is && !ping.IsAck() {
				_ = p.framer.WritePing(true, ping.Data)
			} else if !ok {
				return
			}
		default:
			return
		}
	}
}

// A peer who does not even read from its socket is not waited for either, though it says things all the time.
func TestDeafPeersAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connected(t, &Server{Handler: func(s *Stream, _ *Request) {
			_ = s.Header(200, nil, false)
			_, _ = s.Write(make([]byte, 1000))
			_ = s.CloseWrite()
		}})
		p.greet()
		p.begin(1, p.header("GET"), true)
		began := time.Now()
		for p.framer.WriteWindowUpdate(0, 1) == nil {
			time.Sleep(10 * time.Second)
		}
		if took := time.Since(began); took > 2*StallTimeout {
			t.Errorf("it was left after %v", took)
		}
	})
}

// RFC 9113 section 6.8: leaving takes two steps. What was begun before the first is served, what comes between them, too.
func TestLeavingTakesTwoSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		server := &Server{Handler: func(s *Stream, r *Request) { <-release; answers(s, r) }}
		p := served(t, server)
		p.begin(1, p.header("GET"), true)
		synctest.Wait()
		done := make(chan error, 1)
		go func() { done <- server.Shutdown(context.Background()) }()
		if f := next[*http2.GoAwayFrame](p); f.LastStreamID != maxWindow {
			t.Errorf("first it says %v", f)
		}
		p.begin(3, p.header("GET"), true)
		synctest.Wait()
		_ = p.framer.WritePing(true, leavePing)
		if f := next[*http2.GoAwayFrame](p); f.LastStreamID != 3 || f.ErrCode != http2.ErrCodeNo {
			t.Errorf("then it says %v", f)
		}
		p.begin(5, p.header("GET"), true)
		synctest.Wait()
		close(release)
		got := map[uint32]string{}
		for f := range p.frames {
			if f, ok := f.(*http2.MetaHeadersFrame); ok {
				got[f.StreamID] = f.PseudoValue("status")
			}
		}
		if got[1] != "200" || got[3] != "200" || got[5] != "" {
			t.Errorf("answers %v", got)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
