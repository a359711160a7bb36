package h1

import "net/http"

// Malformed is why a visitor's bytes are no request. The connection ends after the answer: where the next request would
// begin is not known.
type Malformed struct {
	Status int
	Why    string
}

func (m *Malformed) Error() string { return m.Why }

func bad(why string) *Malformed { return &Malformed{http.StatusBadRequest, why} }

var (
	errLineEnd     = bad("a line does not end in CRLF")
	errRequestLine = bad("the request line is not METHOD TARGET VERSION")
	errFieldLine   = bad("a header line is no NAME: VALUE")
	errFolded      = bad("a header line is folded")
	errValue       = bad("a header value has a control character")
	errTarget      = bad("the request target is none")
	errNoHost      = bad("there is not exactly one Host")
	errHost        = bad("the Host is none")
	errOtherHost   = bad("the Host is another one than the target's")
	errLength      = bad("there is not exactly one Content-Length in digits")
	errTwoFramings = bad("there are both Content-Length and Transfer-Encoding")
	errOldCoding   = bad("Transfer-Encoding in HTTP/1.0")
	errCodings     = bad("there are several Transfer-Encodings")
	errCoding      = bad("the Transfer-Encoding is not chunked")
	errChunkLine   = bad("a chunk's line is no SIZE; EXTENSION")
	errChunkEnd    = bad("a chunk is not as long as its size")
	errChunkNoise  = bad("the chunks are more framing than data")
	errTrailer     = bad("the trailer is too large")

	errVersion     = &Malformed{http.StatusHTTPVersionNotSupported, "the HTTP version is not served here"}
	errLongLine    = &Malformed{http.StatusRequestURITooLong, "the request line is too long"}
	errLongHeader  = &Malformed{http.StatusRequestHeaderFieldsTooLarge, "the header is too large"}
	errManyFields  = &Malformed{http.StatusRequestHeaderFieldsTooLarge, "the header has too many lines"}
	errExpectation = &Malformed{http.StatusExpectationFailed, "the Expectation is not known"}
	errSlowHeader  = &Malformed{http.StatusRequestTimeout, "the header took too long"}
)
