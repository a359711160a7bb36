package h1

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unsafe"

	"github.com/fairlead/fairlead/l7/fields"
)

// ours says whether a field follows from a Request's other fields.
func ours(name string) bool {
	switch len(name) {
	case len("Host"):
		return strings.EqualFold(name, "Host")
	case len("Expect"):
		return strings.EqualFold(name, "Expect")
	case len("Trailer"):
		return strings.EqualFold(name, "Trailer")
	case len("Connection"):
		return strings.EqualFold(name, "Connection")
	case len("Content-Length"):
		return strings.EqualFold(name, "Content-Length")
	case len("Transfer-Encoding"):
		return strings.EqualFold(name, "Transfer-Encoding")
	}
	return false
}

// check refuses what would be another request than the one meant.
func (r *Request) check() error {
	switch {
	case !isToken(r.Method):
		return fmt.Errorf("%w: method %.20q", ErrRequest, r.Method)
	case r.Method == http.MethodConnect:
		return fmt.Errorf("%w: CONNECT is not forwarded", ErrRequest) // case B092
	case r.URI == "" || !isVisible(r.URI):
		return fmt.Errorf("%w: target %.40q", ErrRequest, r.URI)
	case !isVisible(r.Host):
		return fmt.Errorf("%w: host %.40q", ErrRequest, r.Host)
	case r.Upgrade && (r.hasBody() || !r.Header.Has("Upgrade")):
		return fmt.Errorf("%w: an upgrade names its protocol and has no body", ErrRequest)
	}
	return checkFields(r.Header)
}

func checkFields(header fields.List) error {
	for i := range header {
		if !isToken(header[i].Name) {
			return fmt.Errorf("%w: header name %.40q", ErrRequest, header[i].Name)
		}
		if v := header[i].Value; !isPlain(unsafe.Slice(unsafe.StringData(v), len(v))) && !isValue(v) {
			return fmt.Errorf("%w: value of header %s", ErrRequest, header[i].Name)
		}
	}
	return nil
}

func (r *Request) hasBody() bool {
	return r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
}

func (r *Request) chunked() bool { return r.hasBody() && r.ContentLength < 0 }

// appendHead writes the request line and the header. Last says that the connection is not kept.
func (r *Request) appendHead(b []byte, last bool) []byte {
	b = append(b, r.Method...)
	b = append(b, ' ')
	b = append(b, r.URI...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = appendField(b, "Host", r.Host)
	for i := range r.Header {
		if !ours(r.Header[i].Name) {
			b = appendField(b, r.Header[i].Name, r.Header[i].Value)
		}
	}
	b = r.appendConnection(b, last)
	b = r.appendFraming(b)
	return append(b, "\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

// appendConnection names the hop-by-hop fields that stand in the header (RFC 9110, section 7.6.1).
func (r *Request) appendConnection(b []byte, last bool) []byte {
	options := ""
	switch {
	case r.Upgrade:
		options = "Upgrade"
	case last:
		options = "close"
	}
	if r.Header.Has("TE") {
		if options != "" {
			options += ", "
		}
		options += "TE"
	}
	if options == "" {
		return b
	}
	return appendField(b, "Connection", options)
}

func (r *Request) appendFraming(b []byte) []byte {
	switch {
	case r.chunked():
		b = appendField(b, "Transfer-Encoding", "chunked")
		b = r.appendAnnouncement(b)
	case r.hasBody():
		b = append(b, "Content-Length: "...)
		b = append(strconv.AppendInt(b, r.ContentLength, 10), "\r\n"...)
	case expectsBody(r.Method) && !r.Upgrade:
		b = appendField(b, "Content-Length", "0") // RFC 9110, section 8.6
	}
	if r.Expect && r.hasBody() {
		b = appendField(b, "Expect", "100-continue")
	}
	return b
}

func expectsBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

func (r *Request) appendAnnouncement(b []byte) []byte {
	if r.Trailer == nil {
		return b
	}
	for _, f := range r.Trailer() {
		if trails(f.Name) {
			b = appendField(b, "Trailer", f.Name)
		}
	}
	return b
}

// appendTrailer ends a chunked body.
func (r *Request) appendTrailer(b []byte) ([]byte, error) {
	b = append(b, "0\r\n"...)
	if r.Trailer != nil {
		trailer := r.Trailer()
		if err := checkFields(trailer); err != nil {
			return nil, err
		}
		for _, f := range trailer {
			if trails(f.Name) {
				b = appendField(b, f.Name, f.Value)
			}
		}
	}
	return append(b, "\r\n"...), nil
}

// trails says whether a field may stand in a trailer (RFC 9110, section 6.5.1).
func trails(name string) bool { return isToken(name) && !ours(name) }
