package h2

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// What breaks the protocol, or costs us much and the peer little, ends the connection (cases B139, B140).
func TestPeersThatGoTooFar(t *testing.T) {
	hold := func(s *Stream, _ *Request) { <-s.Context().Done() }
	for name, test := range map[string]struct {
		send func(p *peer)
		want http2.ErrCode
	}{
		"a frame larger than we take": {func(p *peer) {
			p.begin(1, p.header("POST"), false)
			_ = p.framer.WriteData(1, false, make([]byte, frameSize+1))
		}, http2.ErrCodeFrameSize},
		"CONTINUATION without end": {func(p *peer) {
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.header("GET")})
			part := p.encode("x", strings.Repeat("y", 16000))
			for range 1000 {
				if p.framer.WriteContinuation(1, false, part) != nil {
					return
				}
			}
		}, http2.ErrCodeProtocol},
		"CONTINUATION of nothing, without end": {func(p *peer) {
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.header("GET")})
			for range 100_000 {
				if p.framer.WriteContinuation(1, false, nil) != nil {
					return
				}
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"streams that are begun and reset": {func(p *peer) {
			for i := range uint32(3000) {
				p.begin(2*i+1, p.header("GET"), true)
				if p.framer.WriteRSTStream(2*i+1, http2.ErrCodeCancel) != nil {
					return
				}
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"streams that we have to reset": {func(p *peer) {
			for i := range uint32(3000) {
				p.begin(2*i+1, p.header("GET", "connection", "close"), true)
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"empty DATA": {func(p *peer) {
			p.begin(1, p.header("POST"), false)
			for range 5000 {
				if p.framer.WriteData(1, false, nil) != nil {
					return
				}
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"SETTINGS again and again": {func(p *peer) {
			for range 5000 {
				if p.framer.WriteSettings() != nil {
					return
				}
			}
		}, http2.ErrCodeEnhanceYourCalm},
		"more DATA than the connection's window": {func(p *peer) {
			for id := uint32(1); ; id += 2 {
				p.begin(id, p.header("POST"), false)
				for range 32 {
					if p.framer.WriteData(id, false, make([]byte, frameSize)) != nil {
						return
					}
				}
			}
		}, http2.ErrCodeFlowControl},
		"a window beyond the largest": {func(p *peer) {
			_ = p.framer.WriteWindowUpdate(0, maxWindow)
		}, http2.ErrCodeFlowControl},
		"a window that is not opened": {func(p *peer) {
			_ = p.framer.WriteRawFrame(http2.FrameWindowUpdate, 0, 0, make([]byte, 4))
		}, http2.ErrCodeProtocol},
		"a setting that cannot be": {func(p *peer) {
			_ = p.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1})
		}, http2.ErrCodeProtocol},
		"a stream of ours":           {func(p *peer) { p.begin(2, p.header("GET"), true) }, http2.ErrCodeProtocol},
		"a stream that began before": {func(p *peer) { p.begin(3, p.header("GET"), true); p.begin(1, p.header("GET"), true) }, http2.ErrCodeStreamClosed},
		"a push": {func(p *peer) {
			_ = p.framer.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: p.header("GET"), EndHeaders: true})
		}, http2.ErrCodeProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			p := served(t, &Server{Handler: hold, TooLarge: hold})
			test.send(p)
			if code := p.end(); code != test.want {
				t.Errorf("it ended with %v, want %v", code, test.want)
			}
		})
	}
}

// CVE-2019-9512: PINGs whose answers nobody reads are not answered for ever.
func TestPingsOfSomebodyWhoDoesNotRead(t *testing.T) {
	p := connected(t, &Server{Handler: answers})
	_, _ = io.WriteString(p.conn, http2.ClientPreface)
	_ = p.framer.WriteSettings()
	for i := range 100_000 {
		if p.framer.WritePing(false, [8]byte{}) != nil {
			if i < 1000 {
				t.Errorf("the end came after %d: gRPC measures with many", i)
			}
			return
		}
	}
	t.Error("there is no end to it")
}

// What is wrong with one stream ends that one, and the next is served.
func TestStreamsThatGoTooFar(t *testing.T) {
	big := strings.Repeat("y", 12_000)
	for name, test := range map[string]struct {
		send func(p *peer, id uint32)
		want string
	}{
		"more DATA than its window": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST", "x-hold", "1"), false)
			for range 33 {
				_ = p.framer.WriteData(id, false, make([]byte, frameSize))
			}
		}, "FLOW_CONTROL_ERROR"},
		"more DATA than was said": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST", "content-length", "3"), false)
			_ = p.framer.WriteData(id, false, []byte("four"))
		}, "PROTOCOL_ERROR"},
		"less DATA than was said": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST", "content-length", "3"), false)
			_ = p.framer.WriteData(id, true, []byte("no"))
		}, "PROTOCOL_ERROR"},
		"two lengths": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST", "content-length", "3", "content-length", "3"), false)
		}, "PROTOCOL_ERROR"},
		"a field of a connection": {func(p *peer, id uint32) { p.begin(id, p.header("GET", "transfer-encoding", "chunked"), true) }, "PROTOCOL_ERROR"},
		"two hosts":               {func(p *peer, id uint32) { p.begin(id, p.header("GET", "host", "y"), true) }, "PROTOCOL_ERROR"},
		"a window beyond its most": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST", "x-hold", "1"), false)
			_ = p.framer.WriteWindowUpdate(id, maxWindow)
		}, "FLOW_CONTROL_ERROR"},
		"a trailer with a pseudo field": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST"), false)
			p.begin(id, p.encode(":path", "/other"), true)
		}, "PROTOCOL_ERROR"},
		"a trailer that ends nothing": {func(p *peer, id uint32) {
			p.begin(id, p.header("POST"), false)
			p.begin(id, p.encode("x-sum", "1"), false)
		}, "PROTOCOL_ERROR"},
		"a header list larger than we take": {func(p *peer, id uint32) { // a quarter more than the limit
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.header("GET"), EndStream: true})
			for i := range 4 {
				_ = p.framer.WriteContinuation(id, i == 3, p.encode("x", big))
			}
		}, "431"},
		"a header list that goes on beyond what we take": {func(p *peer, id uint32) {
			_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.header("GET"), EndStream: true})
			for i := range 6 {
				_ = p.framer.WriteContinuation(id, i == 5, p.encode("x", big))
			}
		}, "431"},
	} {
		t.Run(name, func(t *testing.T) {
			p := served(t, &Server{
				MaxHeader: 40_000,
				Handler: func(s *Stream, r *Request) {
					if r.Fields.Has("x-hold") {
						<-s.Context().Done()
						return
					}
					answers(s, r)
				},
				TooLarge: func(s *Stream, _ *Request) { _ = s.Header(431, nil, true) },
			})
			test.send(p, 1)
			if got := p.status(1); got != test.want {
				t.Errorf("it ended with %s, want %s", got, test.want)
			}
			p.begin(3, p.header("GET"), true)
			if got := p.status(3); got != "200" {
				t.Errorf("the next one: %s", got)
			}
		})
	}
}

// Streams beyond the limit are refused, which tells the client that they may be sent again; it counts handlers, not
// streams, or a client who resets what it begins would have as many as it likes.
func TestStreamsAreLimited(t *testing.T) {
	release := make(chan struct{})
	p := served(t, &Server{MaxStreams: 2, Handler: func(s *Stream, r *Request) { <-release; answers(s, r) }})
	if got := setting(next[*http2.SettingsFrame](p), http2.SettingMaxConcurrentStreams); got != 2 {
		t.Errorf("told of %d", got)
	}
	p.begin(1, p.header("GET"), true)
	p.begin(3, p.header("GET"), true)
	_ = p.framer.WriteRSTStream(3, http2.ErrCodeCancel)
	p.begin(5, p.header("GET"), true)
	if got := p.status(5); got != "REFUSED_STREAM" {
		t.Errorf("got %s", got)
	}
	close(release)
	if got := p.status(1); got != "200" {
		t.Errorf("got %s", got)
	}
}

func setting(f *http2.SettingsFrame, id http2.SettingID) uint32 {
	value, _ := f.Value(id)
	return value
}
