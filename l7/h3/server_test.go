package h3

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

func TestRequestsAndAnswers(t *testing.T) {
	got := make(chan string, 1)
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		body, err := io.ReadAll(s)
		trailer, ended := s.Trailer()
		got <- fmt.Sprint(r.Method, r.Path, r.Authority, r.Length, r.Fields, string(body), err, trailer, ended)
		_ = s.Header(103, fields.List{{Name: "Link", Value: "x"}}, false)
		_ = s.Header(200, fields.List{{Name: "X-One", Value: "1"}, {Name: "Connection", Value: "close"}}, false)
		_, _ = s.Write(bytes.Repeat([]byte("x"), 10_000))
		_, _ = io.WriteString(s, "end")
		_ = s.CloseWithTrailer(fields.List{{Name: "X-Sum", Value: "3"}})
	}})
	stream := p.asks(true, request("POST", "b", "2", "a", "1", "content-length", "7"), frame(0x21, []byte("an extension")),
		frame(frameData, []byte("one")), frame(frameData, nil), frame(frameData, []byte("more")), headers("x-up", "u"))
	r := p.reply(stream)
	if now := <-got; now != "POST/hello7 [{b 2} {a 1} {content-length 7}]onemore<nil> [{x-up u}] true" {
		t.Errorf("got %s", now)
	}
	want := "[[{:status 103} {link x}] [{:status 200} {x-one 1}] [{x-sum 3}]]"
	if fmt.Sprint(r.heads) != want || len(r.body) != 10_003 || r.reset != 0 {
		t.Errorf("got %v, %d bytes, %#x", r.heads, len(r.body), r.reset)
	}
}

// A header that comes in many pieces, and is larger than any buffer.
func TestHeadersInPieces(t *testing.T) {
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		_ = s.Header(200, fields.List{{Name: "x-length", Value: fmt.Sprint(len(r.Fields.Get("x-long")))}}, true)
	}})
	header := request("GET", "x-long", strings.Repeat("x~", 20_000))
	stream := p.asks(false, header[:1])
	for rest := header[1:]; len(rest) > 0; {
		n := min(len(rest), 1000)
		if _, err := stream.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	stream.Close()
	if r := p.reply(stream); r.status() != "200" || r.heads[0].Get("x-length") != "40000" {
		t.Errorf("got %v", r)
	}
}

// What is wrong with a request ends that request (RFC 9114 section 4.1.2).
func TestMalformedRequests(t *testing.T) {
	p := newPeer(t, &Server{Handler: echo})
	for name, block := range map[string][]byte{
		"upper case":               request("GET", "X-Upper", "1"),
		"not a name":               request("GET", "a b", "1"),
		"not a value":              request("GET", "a", "1\r\nb: 2"),
		"connection":               request("GET", "connection", "close"),
		"transfer-encoding":        request("POST", "transfer-encoding", "chunked"),
		"te":                       request("GET", "te", "gzip"),
		"unknown pseudo":           request("GET", ":other", "1"),
		"an answer's":              request("GET", ":status", "200"),
		"twice":                    request("GET", ":path", "/"),
		"pseudo behind others":     headers(":method", "GET", ":scheme", "https", "a", "1", ":authority", "hello", ":path", "/"),
		"no path":                  headers(":method", "GET", ":scheme", "https", ":authority", "hello"),
		"no method":                headers(":scheme", "https", ":authority", "hello", ":path", "/"),
		"no host":                  headers(":method", "GET", ":scheme", "https", ":path", "/"),
		"two hosts":                request("GET", "host", "other"),
		"a user":                   headers(":method", "GET", ":scheme", "https", ":authority", "me@hello", ":path", "/"),
		"a path in the host":       headers(":method", "GET", ":scheme", "https", ":authority", "other/.hello", ":path", "/"),
		"no port":                  headers(":method", "GET", ":scheme", "https", ":authority", "hello:x", ":path", "/"),
		"protocol of no CONNECT":   request("GET", ":protocol", "websocket"),
		"CONNECT with a path":      request("CONNECT"),
		"two lengths":              request("POST", "content-length", "0", "content-length", "1"),
		"no length":                request("POST", "content-length", "+1"),
		"more length than content": request("POST", "content-length", "1"),
	} {
		r := p.reply(p.asks(true, block))
		if r.status() != "none" || r.reset != messageError {
			t.Errorf("%s: %v", name, r)
		}
	}
	r := p.reply(p.asks(true, request("POST", "content-length", "1"), frame(frameData, []byte("12"))))
	if r.reset != messageError {
		t.Errorf("more content than length: %v", r)
	}
	r = p.reply(p.asks(true, request("POST", "content-length", "9"), frame(frameData, []byte("12"))))
	if r.reset != internalError { // the handler's: there is nothing left to refuse
		t.Errorf("less content than length: %v", r)
	}
	r = p.reply(p.asks(true, request("POST"), frame(frameData, []byte("1")), headers(":path", "/")))
	if r.reset != messageError {
		t.Errorf("a pseudo-header field in a trailer: %v", r)
	}
	if r := p.reply(p.asks(true, request("PUT"), frame(frameData, []byte("12")))); r.status() != "200" || string(r.body) != "12" {
		t.Errorf("the connection is not what it was: %v", r)
	}
}

// What is wrong with a connection ends it.
func TestBrokenConnections(t *testing.T) {
	settings := append([]byte{controlStream}, frame(frameSettings, nil)...)
	for name, test := range map[string]struct {
		code quic.ApplicationErrorCode
		does func(*peer)
	}{
		"DATA first":              {frameUnexpected, func(p *peer) { p.asks(true, frame(frameData, []byte("x"))) }},
		"SETTINGS in a request":   {frameUnexpected, func(p *peer) { p.asks(true, request("POST"), frame(frameSettings, nil)) }},
		"HTTP/2's PING":           {frameUnexpected, func(p *peer) { p.asks(true, frame(0x6, nil), request("GET")) }},
		"DATA behind a trailer":   {frameUnexpected, func(p *peer) { p.asks(true, request("POST"), headers("a", "b"), frame(frameData, []byte("x"))) }},
		"the end inside a header": {frameError, func(p *peer) { p.asks(true, request("GET")[:9]) }},
		"the end inside a body":   {frameError, func(p *peer) { p.asks(true, request("POST"), frame(frameData, []byte("xyz"))[:3]) }},
		"the end inside unknown":  {frameError, func(p *peer) { p.asks(true, request("POST"), frame(0x21, []byte("xyz"))[:3]) }},
		"a dynamic table":         {decompressionFailed, func(p *peer) { p.asks(true, frame(frameHeaders, []byte{1, 0, 0x80})) }},
		"no SETTINGS":             {missingSettings, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameGoAway, []byte{0})...)...) }},
		"SETTINGS twice":          {frameUnexpected, func(p *peer) { p.says(append(settings, frame(frameSettings, nil)...)...) }},
		"a setting twice":         {settingsError, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameSettings, []byte{6, 1, 6, 2})...)...) }},
		"a setting of HTTP/2":     {settingsError, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameSettings, []byte{2, 0})...)...) }},
		"half a setting":          {frameError, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameSettings, []byte{6})...)...) }},
		"HEADERS among settings":  {frameUnexpected, func(p *peer) { p.says(append(settings, request("GET")...)...) }},
		"half a CONNECT":          {settingsError, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameSettings, []byte{8, 2})...)...) }},
		"a push that was not":     {idError, func(p *peer) { p.says(append(settings, frame(frameCancelPush, []byte{0})...)...) }},
		"fewer pushes": {idError, func(p *peer) {
			p.says(slices.Concat(settings, frame(frameMaxPushID, []byte{2}), frame(frameMaxPushID, []byte{1}))...)
		}},
		"GOAWAY that takes back": {idError, func(p *peer) {
			p.says(slices.Concat(settings, frame(frameGoAway, []byte{2}), frame(frameGoAway, []byte{1}), frame(frameGoAway, []byte{2}))...)
		}},
		"GOAWAY with nothing":      {frameError, func(p *peer) { p.says(append(settings, frame(frameGoAway, nil)...)...) }},
		"GOAWAY with more":         {frameError, func(p *peer) { p.says(append(settings, frame(frameGoAway, []byte{0, 0})...)...) }},
		"MAX_PUSH_ID of gigabytes": {frameError, func(p *peer) { p.says(append(settings, frameMaxPushID, 0xc0, 0, 0, 1, 0, 0, 0, 0)...) }},
		"two control streams":      {streamCreationError, func(p *peer) { p.says(settings...); p.says(settings...) }},
		"a push":                   {streamCreationError, func(p *peer) { p.says(pushStream, 0) }},
		"the end of control":       {closedCritical, func(p *peer) { p.says(settings...).Close() }},
		"many settings":            {frameError, func(p *peer) { p.says(append([]byte{controlStream}, frame(frameSettings, manySettings())...)...) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, &Server{Handler: echo})
			test.does(p)
			if code := p.ended(); code != test.code {
				t.Errorf("got %#x, not %#x", uint64(code), uint64(test.code))
			}
		})
	}
}

// manySettings are more than the first buffer takes; the last of them lacks its value.
func manySettings() (all []byte) {
	for id := range uint64(500) {
		all = quicvarint.Append(quicvarint.Append(all, 0x100+id), 1)
	}
	return append(all, 6)
}

func TestWhatIsUnknownIsIgnored(t *testing.T) {
	p := newPeer(t, &Server{Handler: echo})
	p.says(append(append([]byte{controlStream}, frame(frameSettings, []byte{6, 9, 0x21, 1})...), frame(frameMaxPushID, []byte{0})...)...)
	p.says(qpackEncoder)
	p.says(qpackDecoder)
	p.says(0x21, 1, 2, 3)
	if r := p.reply(p.asks(true, frame(0x40, []byte("?")), request("GET"))); r.status() != "200" {
		t.Errorf("got %v", r)
	}
}

func TestTooLargeHeadersAreAnswered(t *testing.T) {
	p := newPeer(t, &Server{Handler: echo, MaxHeader: 1000, TooLarge: func(s *Stream, r *h2.Request) {
		_ = s.Header(431, nil, true)
	}})
	for _, value := range []string{strings.Repeat("x~", 1000), strings.Repeat("e", 990)} {
		if r := p.reply(p.asks(false, request("GET", "x", value))); r.status() != "431" {
			t.Errorf("%d bytes: %v", len(value), r)
		}
	}
	if r := p.reply(p.asks(true, request("POST"), headers("x", strings.Repeat("x~", 1000)))); r.reset != excessiveLoad {
		t.Errorf("a trailer: %v", r)
	}
}

// A request whose body is reset has cost as much as one whose answer is, be it answered (case B139).
func TestTornBodiesAreCounted(t *testing.T) {
	begun := make(chan struct{})
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		begun <- struct{}{}
		_, _ = io.Copy(io.Discard, s)
		_ = s.Header(400, nil, true)
	}})
	for range 1000 {
		stream, err := p.OpenStreamSync(t.Context())
		if err == nil {
			_, err = stream.Write(request("POST"))
		}
		if err != nil {
			break // the connection has ended
		}
		select {
		case <-begun:
			stream.CancelWrite(requestCanceled)
		case <-p.Context().Done():
		}
	}
	if code := p.ended(); code != excessiveLoad {
		t.Errorf("got %#x", uint64(code))
	}
}

func TestEndsAtOnce(t *testing.T) {
	got := make(chan string, 1)
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		ends := s.EndsAtOnce()
		body, err := io.ReadAll(s)
		got <- fmt.Sprint(r.Length, " ", ends, " ", string(body), " ", err)
		_ = s.Header(200, nil, true)
	}})
	get, piece, extension := request("GET"), frame(frameData, []byte("x")), frame(0x21, []byte("?"))
	for want, frames := range map[string][][]byte{
		"0 true  <nil>":    {get},
		"-1 true  <nil>":   {get, extension, frame(frameData, nil)},
		"-1 false x <nil>": {get, piece},
		"1 false x <nil>":  {request("GET", "content-length", "1"), piece},
	} {
		p.asks(true, frames...)
		if now := <-got; now != want {
			t.Errorf("got %s, not %s", now, want)
		}
	}
	stream := p.asks(false, get, extension[:2]) // the end does not come, and what comes is no end
	time.Sleep(2 * endWithin)
	_, _ = stream.Write(append(extension[2:], piece...))
	stream.Close()
	if now := <-got; now != "-1 false x <nil>" {
		t.Errorf("late: got %s", now)
	}
}

// An idle connection is closed, a busy one is not.
func TestIdleConnectionsEnd(t *testing.T) {
	const idle = 200 * time.Millisecond
	busy := make(chan struct{})
	p := newPeer(t, &Server{IdleTimeout: idle, Handler: func(s *Stream, r *h2.Request) {
		<-busy
		_ = s.Header(200, nil, true)
	}})
	stream := p.asks(true, request("GET"))
	select {
	case <-p.Context().Done():
		t.Error("it ended under a request")
	case <-time.After(3 * idle):
	}
	close(busy)
	if r := p.reply(stream); r.status() != "200" {
		t.Fatalf("got %v", r)
	}
	if code := p.ended(); code != noError {
		t.Errorf("got %#x", uint64(code))
	}
}

// Requests that came before GOAWAY are answered, later ones are not taken, and the connection ends.
func TestLeaving(t *testing.T) {
	begun, proceed := make(chan struct{}, 2), make(chan struct{})
	p := newPeer(t, &Server{Handler: func(s *Stream, r *h2.Request) {
		begun <- struct{}{}
		<-proceed
		_ = s.Header(200, nil, true)
	}})
	control, err := p.AcceptUniStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := p.asks(true, request("GET"))
	<-begun
	p.server.Leave()
	said := make([]byte, 1+2+7+3)
	if _, err := io.ReadFull(control, said); err != nil || !bytes.HasSuffix(said, []byte{frameGoAway, 1, 4}) {
		t.Errorf("said %v, %v", said, err)
	}
	second := p.asks(true, request("GET"))
	close(proceed)
	if r := p.reply(second); r.reset != requestRejected {
		t.Errorf("after it: %v", r)
	}
	if r := p.reply(first); r.status() != "200" {
		t.Errorf("before it: %v", r)
	}
	if code := p.ended(); code != noError {
		t.Errorf("got %#x", uint64(code))
	}
}

func TestUrgency(t *testing.T) {
	for wish, want := range map[string]string{
		"": "3 false", "u=0": "0 false", "u=7, i": "7 true", "i=?0,u=1": "1 false", "i=?1": "3 true", "u=8": "3 false", "u=12": "3 false",
		"x=u, i;a=1": "3 true",
	} {
		urgency, incremental := urgencyOf(wish)
		if got := fmt.Sprint(urgency, " ", incremental); got != want {
			t.Errorf("%q: %s, not %s", wish, got, want)
		}
	}
}
