package h1

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// ending is how the end of an answer's body is told (RFC 9112, section 6.3).
type ending byte

const (
	noBody ending = iota
	byLength
	byChunks
	byClose
)

// answerTo is what an answer has to know of its request.
type answerTo struct {
	method string
	minor  byte
}

// ending of a body whose length is -1 if it is not known.
func (r answerTo) ending(status int, length int64) ending {
	switch {
	case bodiless(r.method, status):
		return noBody
	case length >= 0:
		return byLength
	case r.minor > 0:
		return byChunks
	}
	return byClose
}

// appendHead writes the head of a final answer. The fields that frame it follow from e and length, and those of the list
// count only where there is no body: they say what a GET would have had.
func (r answerTo) appendHead(b []byte, status int, h fields.List, e ending, length int64, last bool) []byte {
	b = appendStatus(b, status)
	dated := false
	for _, f := range h {
		switch {
		case !passes(f, e, status):
			continue
		case f.Is("Date"):
			dated = true
		}
		b = appendField(b, f.Name, f.Value)
	}
	if !dated {
		b = appendField(b, "Date", date(time.Now())) // RFC 9110, section 6.6.1
	}
	switch e {
	case byLength:
		b = append(b, "Content-Length: "...)
		b = append(strconv.AppendInt(b, length, 10), "\r\n"...)
	case byChunks:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	switch {
	case last:
		b = append(b, "Connection: close\r\n"...)
	case r.minor == 0:
		b = append(b, "Connection: keep-alive\r\n"...)
	}
	return append(b, "\r\n"...)
}

// passes says whether a field goes out as it is. One that would break the line was let in by somebody's mistake.
func passes(f fields.Field, e ending, status int) bool {
	if !isWritable(f) {
		return false
	}
	switch len(f.Name) {
	case len("Trailer"):
		return e == byChunks || !f.Is("Trailer")
	case len("Connection"): // and Keep-Alive
		return !f.Is("Connection") && !f.Is("Keep-Alive")
	case len("Content-Length"):
		return e == noBody && status != http.StatusNoContent || !f.Is("Content-Length")
	case len("Transfer-Encoding"):
		return !f.Is("Transfer-Encoding")
	}
	return true
}

func isWritable(f fields.Field) bool {
	return f.Name != "" && strings.IndexByte(f.Name, '\n') < 0 && strings.IndexByte(f.Value, '\n') < 0 && strings.IndexByte(f.Value, '\r') < 0
}

// appendInterim writes a 1xx. Its fields are written as they are, for a 101 names its connection options.
func appendInterim(b []byte, status int, h fields.List) []byte {
	b = appendStatus(b, status)
	for _, f := range h {
		if isWritable(f) {
			b = appendField(b, f.Name, f.Value)
		}
	}
	return append(b, "\r\n"...)
}

func appendStatus(b []byte, status int) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(status)...)
	return append(b, "\r\n"...)
}

// appendChunk begins a chunk of n bytes.
func appendChunk(b []byte, n int) []byte {
	return append(strconv.AppendInt(b, int64(n), 16), "\r\n"...)
}

// appendLastChunk ends a chunked body. What frames a message may not stand in its trailer (RFC 9110, section 6.5.1).
func appendLastChunk(b []byte, trailer fields.List) []byte {
	b = append(b, "0\r\n"...)
	for _, f := range trailer {
		if isWritable(f) && !ours(f.Name) {
			b = appendField(b, f.Name, f.Value)
		}
	}
	return append(b, "\r\n"...)
}

// dated is a second as the field Date writes it.
type dated struct {
	second int64
	text   string
}

var lastDate atomic.Pointer[dated]

func date(now time.Time) string {
	d := lastDate.Load()
	if d == nil || d.second != now.Unix() {
		d = &dated{now.Unix(), now.UTC().Format(http.TimeFormat)}
		lastDate.Store(d)
	}
	return d.text
}
