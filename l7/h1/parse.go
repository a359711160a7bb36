package h1

import (
	"bytes"
	"errors"
	"strings"
	"unsafe"

	"github.com/fairlead/fairlead/l7/fields"
)

// Limits of a request's head.
const (
	maxRequestHead = 128 << 10
	maxRequestLine = 64 << 10
	maxFields      = 256
)

var (
	errMore  = errors.New("the head is not complete")
	errHTTP2 = errors.New("the connection begins as HTTP/2") // RFC 9113, section 3.4
)

// requestHead is what stands before a request's body (RFC 9112, section 3). It does no I/O, and its strings are the
// memory that was parsed. Whatever two readers could understand differently is a *Malformed.
type requestHead struct {
	method, target, host string

	minor   byte        // of HTTP/1.x
	fields  fields.List // without Host
	length  int64       // of the body; -1: chunked
	expects bool        // 100-continue
	persist bool        // the visitor would send another request on the connection

	stage   stage
	next    int // where the line begins that is not parsed yet
	hosts   int
	lengths int
	coding  string
	codings int
}

type stage byte

const (
	atStart stage = iota
	atLine        // after an empty line
	atFields
)

// reset forgets a request, but not the room for fields.
func (h *requestHead) reset() {
	clear(h.fields)
	*h = requestHead{fields: h.fields[:0]}
}

// parse goes on with the lines that were not there in the call before. b begins where the head does and is the same
// memory in every call; after it was moved, reset. It returns the head's length once it is complete, errMore before.
func (h *requestHead) parse(b []byte) (int, error) {
	for {
		line, err := h.line(b)
		if err != nil {
			return 0, err
		}
		switch {
		case h.stage == atFields && len(line) == 0:
			return h.next, h.conclude()
		case h.stage == atFields:
			err = h.field(line)
		case h.stage == atStart && len(line) == 0:
			h.stage = atLine // old clients send one after a body (RFC 9112, section 2.2)
		default:
			h.stage = atFields
			err = h.requestLine(line)
		}
		if err != nil {
			return 0, err
		}
	}
}

// line returns the next complete line without its end.
func (h *requestHead) line(b []byte) ([]byte, error) {
	rest := b[h.next:]
	end := bytes.IndexByte(rest, '\n')
	switch {
	case h.stage != atFields && len(rest) > 0 && !tokenByte[rest[0]] && rest[0] != '\r':
		return nil, errRequestLine // no need to wait for the end of a TLS handshake
	case h.stage != atFields && (len(rest) > maxRequestLine && end < 0 || end > maxRequestLine):
		return nil, errLongLine
	case end < 0 && len(b) >= maxRequestHead || h.next+end >= maxRequestHead:
		return nil, errLongHeader
	case end < 0:
		return nil, errMore
	case end == 0 || rest[end-1] != '\r':
		return nil, errLineEnd
	}
	h.next += end + 1
	return rest[:end-1], nil
}

func (h *requestHead) requestLine(line []byte) error {
	method, rest, found := bytes.Cut(line, []byte(" "))
	target, version, also := bytes.Cut(rest, []byte(" "))
	if !found || !also || !isToken(method) || len(target) == 0 {
		return errRequestLine
	}
	h.method, h.target = text(method), text(target)
	switch string(version) {
	case "HTTP/1.1":
		h.minor = 1
	case "HTTP/1.0":
	case "HTTP/2.0":
		if h.method == "PRI" && h.target == "*" {
			return errHTTP2
		}
		return errVersion
	default:
		return otherVersion(version)
	}
	return checkTarget(h.method, h.target)
}

func otherVersion(version []byte) error {
	digits, found := bytes.CutPrefix(version, []byte("HTTP/"))
	if found && len(digits) == 3 && isDigit(digits[0]) && digits[1] == '.' && isDigit(digits[2]) {
		return errVersion
	}
	return errRequestLine
}

func (h *requestHead) field(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return errFolded
	}
	f, err := parseField(line)
	if err != nil {
		return err
	}
	if f.Is("Host") {
		h.hosts++
		h.host = f.Value
		return nil
	}
	if len(h.fields) == maxFields {
		return errManyFields
	}
	h.fields = append(h.fields, f)
	return h.notice(f)
}

// notice takes note of the fields that the protocol itself is about.
func (h *requestHead) notice(f fields.Field) error {
	switch {
	case f.Is("Content-Length"):
		h.lengths++
		n, ok := decimal(f.Value)
		if h.length = n; !ok || h.lengths > 1 {
			return errLength
		}
	case f.Is("Transfer-Encoding"):
		h.codings++
		h.coding = f.Value
	case f.Is("Expect"):
		if !strings.EqualFold(f.Value, "100-continue") {
			return errExpectation
		}
		h.expects = true
	}
	return nil
}

// conclude judges the head as a whole.
func (h *requestHead) conclude() error {
	if err := h.frame(); err != nil {
		return err
	}
	h.expects = h.expects && h.minor > 0 && h.length != 0
	if h.minor > 0 {
		h.persist = !h.fields.HasMember("Connection", "close")
	} else {
		h.persist = h.fields.HasMember("Connection", "keep-alive") && !h.fields.HasMember("Connection", "close")
	}
	return h.settleHost()
}

// frame decides where the body ends (RFC 9112, section 6.3).
func (h *requestHead) frame() error {
	switch {
	case h.codings == 0:
		return nil
	case h.lengths > 0:
		return errTwoFramings
	case h.minor == 0:
		return errOldCoding
	case h.codings > 1:
		return errCodings
	case !strings.EqualFold(h.coding, "chunked"):
		return errCoding
	}
	h.length = -1
	return nil
}

// settleHost makes the host that of an absolute target (RFC 9112, section 3.2).
func (h *requestHead) settleHost() error {
	if h.hosts > 1 || h.hosts == 0 && h.minor > 0 {
		return errNoHost
	}
	if h.host != "" && !isAuthority(h.host) {
		return errHost
	}
	authority := authorityOf(h.method, h.target)
	if authority != "" && h.hosts > 0 && !strings.EqualFold(authority, h.host) {
		return errOtherHost
	}
	if h.host == "" {
		h.host = authority
	}
	return nil
}

// text is b's memory as a string.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// decimal reads digits and nothing else.
func decimal(s string) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n, true
}
