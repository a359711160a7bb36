package h1

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// parsed feeds a head in one piece.
func parsed(text string) (*requestHead, int, error) {
	h := &requestHead{}
	n, err := h.parse([]byte(text))
	return h, n, err
}

func (h *requestHead) String() string {
	return fmt.Sprintf("%s %s host=%s 1.%d length=%d expects=%v persist=%v %q", h.method, h.target, h.host, h.minor, h.length, h.expects, h.persist, h.fields)
}

func TestHeadsThatAreTaken(t *testing.T) {
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                                                        `GET / host=x 1.1 length=0 expects=false persist=true []`,
		"\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n":                                                    `GET / host=x 1.1 length=0 expects=false persist=true []`,
		"GET / HTTP/1.0\r\n\r\n":                                                                   `GET / host= 1.0 length=0 expects=false persist=false []`,
		"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n":                                         `GET / host= 1.0 length=0 expects=false persist=true [{"Connection" "Keep-Alive"}]`,
		"GET / HTTP/1.1\r\nHost:\r\n\r\n":                                                          `GET / host= 1.1 length=0 expects=false persist=true []`,
		"get /a?b=%zz HTTP/1.1\r\nhOST:x:80\r\nA: \t b c \r\na:\r\nConnection: x, Close\r\n\r\n":   `get /a?b=%zz host=x:80 1.1 length=0 expects=false persist=false [{"A" "b c"} {"a" ""} {"Connection" "x, Close"}]`,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 007\r\nExpect: 100-Continue\r\n\r\n":        `POST / host=x 1.1 length=7 expects=true persist=true [{"Content-Length" "007"} {"Expect" "100-Continue"}]`,
		"POST / HTTP/1.0\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n":                     `POST / host= 1.0 length=7 expects=false persist=false [{"Content-Length" "7"} {"Expect" "100-continue"}]`,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n":                         `POST / host=x 1.1 length=-1 expects=false persist=true [{"Transfer-Encoding" "Chunked"}]`,
		"GET http://X.org:80/a HTTP/1.1\r\nHost: x.ORG:80\r\n\r\n":                                 `GET http://X.org:80/a host=x.ORG:80 1.1 length=0 expects=false persist=true []`,
		"GET HTTPS://x?a HTTP/1.0\r\n\r\n":                                                         `GET HTTPS://x?a host=x 1.0 length=0 expects=false persist=false []`,
		"OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n":                                           `OPTIONS * host=[::1]:8080 1.1 length=0 expects=false persist=true []`,
		"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n":                                            `CONNECT x:443 host=x:443 1.1 length=0 expects=false persist=true []`,
		"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \xe4\xff 12345678 \t12345678901\r\n\r\ntrailing": `GET / host=x 1.1 length=0 expects=false persist=true [{"User-Agent" "\xe4\xff 12345678 \t12345678901"}]`,
	} {
		h, n, err := parsed(text)
		if err != nil || h.String() != want || n != strings.Index(text[2:], "\r\n\r\n")+6 {
			t.Errorf("%q:\n got %v, %d, %v\nwant %v", text, h, n, err, want)
		}
	}
}

// cases B103, B118: whatever two readers could take for two different requests is refused.
func TestHeadsThatAreRefused(t *testing.T) {
	const get, host = "GET / HTTP/1.1\r\n", "Host: x\r\n"
	for text, want := range map[string]*Malformed{
		"\r\n\r\n":                                                errRequestLine,
		"\nGET / HTTP/1.1\r\n":                                    errRequestLine,
		" GET / HTTP/1.1\r\n":                                     errRequestLine,
		"\x16\x03\x01":                                            errRequestLine,
		"GET /\r\n":                                               errRequestLine, // HTTP/0.9
		"GET  / HTTP/1.1\r\n":                                     errRequestLine,
		"GET / HTTP/1.1 \r\n":                                     errRequestLine,
		"GET\t/\tHTTP/1.1\r\n":                                    errRequestLine,
		"GET / /x HTTP/1.1\r\n":                                   errRequestLine,
		"GET / http/1.1\r\n":                                      errRequestLine,
		"GET / HTTP/1.1x\r\n":                                     errRequestLine,
		"GET / HTTP/11\r\n":                                       errRequestLine,
		"G(T / HTTP/1.1\r\n":                                      errRequestLine,
		"GET / HTTP/1.1\n":                                        errLineEnd,
		"GET / HTTP/1.1\r\nHost: x\n\r\n":                         errLineEnd,
		get + host + "\n":                                         errLineEnd,
		"GET / HTTP/1.2\r\n":                                      errVersion,
		"GET / HTTP/3.0\r\n":                                      errVersion,
		"GET / HTTP/2.0\r\n":                                      errVersion,
		"PRI / HTTP/2.0\r\n":                                      errVersion,
		"GET x HTTP/1.1\r\n":                                      errTarget,
		"GET * HTTP/1.1\r\n":                                      errTarget,
		"GET /a#b HTTP/1.1\r\n":                                   errTarget,
		"GET /%zz HTTP/1.1\r\n":                                   errTarget,
		"GET /%a HTTP/1.1\r\n":                                    errTarget,
		"GET /\x00 HTTP/1.1\r\n":                                  errTarget,
		"GET /\r/ HTTP/1.1\r\n":                                   errTarget,
		"GET ftp://x/ HTTP/1.1\r\n":                               errTarget,
		"GET http:// HTTP/1.1\r\n":                                errTarget,
		"GET http:///a HTTP/1.1\r\n":                              errTarget,
		"GET http://u@x/ HTTP/1.1\r\n":                            errTarget,
		"GET http://x:y/ HTTP/1.1\r\n":                            errTarget,
		"CONNECT /x HTTP/1.1\r\n":                                 errTarget,
		"CONNECT u@x:80 HTTP/1.1\r\n":                             errTarget,
		get + "\r\n":                                              errNoHost,
		get + host + host + "\r\n":                                errNoHost,
		"GET / HTTP/1.0\r\n" + host + host + "\r\n":               errNoHost,
		get + "Host: a b\r\n\r\n":                                 errHost,
		get + "Host: a/b\r\n\r\n":                                 errHost,
		get + "Host: a@b\r\n\r\n":                                 errHost,
		get + "Host: a%62\r\n\r\n":                                errHost,
		get + "Host: x:80:80\r\n\r\n":                             errHost,
		get + "Host: x:123456\r\n\r\n":                            errHost,
		get + "Host: [::1\r\n\r\n":                                errHost,
		get + "Host: :80\r\n\r\n":                                 errHost,
		"GET http://x/ HTTP/1.1\r\nHost: y\r\n\r\n":               errOtherHost,
		"GET http://x/ HTTP/1.1\r\nHost:\r\n\r\n":                 errOtherHost,
		"GET http://x/ HTTP/1.1\r\nHost: x:80\r\n\r\n":            errOtherHost,
		get + " X: a\r\n":                                         errFolded,
		get + host + "X: a\r\n b\r\n\r\n":                         errFolded,
		get + host + "X: a\r\n\tb\r\n\r\n":                        errFolded,
		get + host + "X : a\r\n\r\n":                              errFieldLine,
		get + host + "X\r\n\r\n":                                  errFieldLine,
		get + host + ": a\r\n\r\n":                                errFieldLine,
		get + host + "X\x00: a\r\n\r\n":                           errFieldLine,
		get + host + "X\xe4: a\r\n\r\n":                           errFieldLine,
		get + host + "X: a\x00b\r\n\r\n":                          errValue,
		get + host + "X: 12345678a\rb\r\n\r\n":                    errValue,
		get + host + "X: a\x7f\r\n\r\n":                           errValue,
		get + host + "X: 1234567\x0112345\r\n":                    errValue,
		get + host + "X: a\r\r\n\r\n":                             errValue,
		get + host + "Expect: 200-ok\r\n\r\n":                     errExpectation,
		get + host + "Content-Length: +1\r\n":                     errLength,
		get + host + "Content-Length: -1\r\n":                     errLength,
		get + host + "Content-Length: 1 1\r\n":                    errLength,
		get + host + "Content-Length: 1, 1\r\n":                   errLength,
		get + host + "Content-Length: 0x1\r\n":                    errLength,
		get + host + "Content-Length:\r\n":                        errLength,
		get + host + "Content-Length: 9999999999999999999\r\n":    errLength,
		get + host + "Content-Length: 1\r\ncontent-length: 1\r\n": errLength,
		get + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n":           errTwoFramings,
		get + host + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n":           errTwoFramings,
		get + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n":  errCodings,
		get + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n": errCodings,
		get + host + "Transfer-Encoding: xchunked\r\n\r\n":                               errCoding,
		get + host + "Transfer-Encoding: gzip, chunked\r\n\r\n":                          errCoding,
		get + host + "Transfer-Encoding: chunked, chunked\r\n\r\n":                       errCoding,
		get + host + "Transfer-Encoding: \"chunked\"\r\n\r\n":                            errCoding,
		get + host + "Transfer-Encoding: chunked;x\r\n\r\n":                              errCoding,
		get + host + "Transfer-Encoding:\r\n\r\n":                                        errCoding,
		get + host + "Transfer-Encoding: \x0bchunked\r\n\r\n":                            errValue,
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n":                          errOldCoding,
		"GET /" + strings.Repeat("a", maxRequestLine):                                    errLongLine,
		"GET /" + strings.Repeat("a", maxRequestLine) + " HTTP/1.1\r\n":                  errLongLine,
		get + host + "X: " + strings.Repeat("a", maxRequestHead):                         errLongHeader,
		get + host + "X: " + strings.Repeat("a", maxRequestHead) + "\r\n\r\n":            errLongHeader,
		get + host + strings.Repeat("X: a\r\n", maxFields+1):                             errManyFields,
	} {
		if h, _, err := parsed(text); !errors.Is(err, want) {
			t.Errorf("%.60q: got %v, %v, want %v", text, h, err, want)
		}
	}
}

func TestHTTP2IsRecognized(t *testing.T) {
	if _, _, err := parsed("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); !errors.Is(err, errHTTP2) {
		t.Error(err)
	}
}

// It does not matter how the bytes come.
func TestHeadInPieces(t *testing.T) {
	const text = "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nA: b\r\nContent-Length: 3\r\n\r\n"
	whole, want, err := parsed(text)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 0, len(text))
	h := &requestHead{}
	for i := range len(text) - 1 {
		buffer = append(buffer, text[i])
		if _, err := h.parse(buffer); !errors.Is(err, errMore) {
			t.Fatalf("after %q: %v", buffer, err)
		}
	}
	n, err := h.parse([]byte(text))
	if err != nil || n != want || h.String() != whole.String() {
		t.Errorf("got %v, %d, %v", h, n, err)
	}
}

func TestParsingAllocatesNothing(t *testing.T) {
	text := []byte("GET /a%20b?c=d HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\nCookie: a=b; c=d\r\nConnection: keep-alive\r\n\r\n")
	h := &requestHead{}
	if _, err := h.parse(text); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		h.reset()
		_, _ = h.parse(text)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte("GET /b/1024 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
		"Accept-Language: en-US,en;q=0.9,pt-BR;q=0.8\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" +
		"Referer: http://127.0.0.1/start/page?with=query\r\nCookie: theme=dark; _ga=GA1.1.1234567890.1700000000; consent=yes\r\n" +
		"Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: same-origin\r\n" +
		"Upgrade-Insecure-Requests: 1\r\nCache-Control: max-age=0\r\n\r\n")
	h := &requestHead{}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		h.reset()
		if _, err := h.parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
