package h1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/fairlead/fairlead/l7/fields"
)

// maxLines bounds the fields of one header: each costs more than its bytes.
const maxLines = 2000

// head is what stands before a response's body. It is read into the same memory again and again.
type head struct {
	minor  byte // of HTTP/1.x
	status int
	reason string
	header fields.List
	copies copies // of what the strings are
}

// copies holds strings in one piece of memory. They are valid until it is used again.
type copies []byte

func (c *copies) add(b []byte) string {
	start := len(*c)
	*c = append(*c, b...)
	return unsafe.String(unsafe.SliceData((*c)[start:]), len(b))
}

// mostKept is how much memory stays with what will be used again.
const mostKept = 16 << 10

// again is the memory for the next use.
func (c copies) again() copies {
	if cap(c) > mostKept {
		return nil
	}
	return c[:0]
}

// lines reads CRLF-terminated lines within a budget of bytes. A bare LF ends a line as well (RFC 9112, section 2.2):
// scripts write it, and nothing is forwarded as read.
type lines struct {
	reader *inflow
	left   int
	strict bool   // no bare LF
	long   []byte // a line that did not fit into the reader's buffer
}

// next returns a line without its end. It is valid until the following call.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.reader.line()
		if l.left -= len(part); l.left < 0 {
			return nil, ErrHeaderTooLarge
		}
		switch {
		case err == nil && len(l.long) == 0:
			return l.trim(part)
		case err == nil:
			l.long = append(l.long, part...)
			return l.trim(l.long)
		case errors.Is(err, errFull):
			l.long = append(l.long, part...)
		default:
			return nil, truncated(err)
		}
	}
}

func (l *lines) trim(line []byte) ([]byte, error) {
	line = line[:len(line)-1]
	bare, found := bytes.CutSuffix(line, []byte("\r"))
	if l.strict && !found {
		return nil, fmt.Errorf("%w: a line ends in a bare LF: %.20q", ErrResponse, line)
	}
	return bare, nil
}

// truncated is for places where no end may be.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// read reads a status line and a header in place of the ones before.
func (h *head) read(l *lines) error {
	h.copies = h.copies[:0]
	line, err := l.next()
	if err != nil {
		return err
	}
	if err := h.parseStatus(line); err != nil {
		return err
	}
	h.header, err = readFields(l, h.header[:0], &h.copies)
	return err
}

// parseStatus takes "HTTP/1.1 200 OK"; the reason and the space before it may be missing.
func (h *head) parseStatus(line []byte) error {
	const version = "HTTP/1."
	if len(line) < len("HTTP/1.1 200") || string(line[:len(version)]) != version || line[8] != ' ' {
		return fmt.Errorf("%w: status line %.40q", ErrResponse, line)
	}
	h.minor, h.status = line[7]-'0', number(line[9:12])
	reason := line[12:]
	if h.minor > 9 || h.status < 100 || len(reason) > 0 && reason[0] != ' ' || !isValue(reason) {
		return fmt.Errorf("%w: status line %.40q", ErrResponse, line)
	}
	h.reason = h.copies.add(bytes.TrimSpace(reason))
	return nil
}

// number reads three digits, -1 if they are none.
func number(digits []byte) (n int) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return -1
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// readFields appends fields up to the empty line to a header.
func readFields(l *lines, header fields.List, to *copies) (fields.List, error) {
	for range maxLines {
		line, err := l.next()
		if err != nil || len(line) == 0 {
			return header, err
		}
		f, err := fieldOf(line, to)
		if err != nil {
			return header, err
		}
		header = append(header, f)
	}
	return header, fmt.Errorf("%w: over %d lines", ErrHeaderTooLarge, maxLines)
}

// fieldOf refuses what readers may understand differently: folded lines, a space before the colon, stray CR and NUL
// (RFC 9112, sections 5.1 and 5.2).
func fieldOf(line []byte, to *copies) (fields.Field, error) {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || !isToken(name) || !isPlain(value) && !isValue(value) {
		return fields.Field{}, fmt.Errorf("%w: header line %.40q", ErrResponse, line)
	}
	return fields.Field{Name: to.add(name), Value: to.add(trim(value))}, nil
}
