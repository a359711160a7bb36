package l7

import "net/http"

// retry says which failed attempts are followed by another one in the same request.
type retry int

const (
	retrySafe   retry = iota // as P4 allows
	retryUnsent              // also any method of which surely nothing was sent
	retryNever
)

var retries = map[string]retry{"": retrySafe, "safe": retrySafe, "unsent": retryUnsent, "never": retryNever}

// mostWrites is how many upstream connections one request may be written to (P4).
const mostWrites = 2

// lost is what is known of a request when an attempt at it failed.
type lost struct {
	method    string
	hasBody   bool
	bodyRead  bool
	responded bool // a byte of a response came
	published bool // a connect proved nothing
	sent      bool // a byte of the request may have reached the app in the last attempt
	writes    int  // connections written to, over all attempts
}

// allows says whether another attempt may follow.
func (r retry) allows(l lost) bool {
	switch {
	case r == retryNever, l.responded, l.bodyRead, l.writes >= mostWrites:
		return false
	case safe(l.method) && !l.hasBody:
		return true
	default:
		return r == retryUnsent && l.writes == 0 && !l.sent && !l.published
	}
}

// safe methods as nginx and Envoy count them.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
