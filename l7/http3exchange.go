package l7

import (
	"net/http"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// pace is what a visitor must keep, as h2.Server has it.
type pace struct {
	body  time.Duration // how long his body may be too slow before the answer has begun
	stall time.Duration // how long he may take nothing of an answer
}

// http3Exchange makes an Exchange of a request. The library keeps the header as a map: its order is lost.
func http3Exchange(w http.ResponseWriter, r *http.Request, keeps pace) (*Exchange, *http3Answer) {
	answer := &http3Answer{w: w, r: r, control: http.NewResponseController(w), stall: keeps.stall}
	x := &Exchange{
		Method: r.Method, Target: r.RequestURI, Host: r.Host, Proto: "HTTP/3.0",
		Header: fields.From(r.Header), Remote: r.RemoteAddr, TLS: true, Handshake: r.TLS,
		Answer: answer,
	}
	if r.Method == http.MethodConnect && r.Proto != x.Proto {
		x.Method, x.Protocol = http.MethodGet, r.Proto
		spellSockets(x.Header)
		return x, answer
	}
	if r.ContentLength == 0 {
		return x, answer
	}
	body := &http3Body{r: r, control: answer.control}
	if !asksGRPC(x) { // whose streams may begin with silence, and have a deadline of their own
		body.patience, body.most = keeps.body, keeps.body
	}
	// Only the end of the stream says that there is no body. Where one would be a surprise it is waited for, or no GET
	// could be repeated.
	if r.ContentLength < 0 && safe(r.Method) && body.endsAtOnce() {
		return x, answer
	}
	answer.body = body
	x.Body, x.Length, x.Trailer = body, r.ContentLength, body.trailer
	return x, answer
}
