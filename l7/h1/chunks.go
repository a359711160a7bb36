package h1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/fairlead/fairlead/l7/fields"
)

// chunks reads a chunked body and the trailer after it. It is strict about line ends: a bare LF that one reader takes
// for the end and another does not is how messages are smuggled (CVE-2025-22871).
type chunks struct {
	lines     lines
	maxHeader int   // of the trailer
	left      int64 // of the present chunk
	began     bool  // a chunk was read, and its end is still to come
	trailer   fields.List
	copies    copies // of the trailer
}

// maxChunkLine bounds a chunk's size with its extensions, which are dropped.
const maxChunkLine = 4 << 10

// begin forgets the body before.
func (c *chunks) begin(reader *inflow, maxHeader int) {
	*c = chunks{
		lines: lines{reader: reader, strict: true, long: copies(c.lines.long).again()}, maxHeader: maxHeader,
		trailer: c.trailer[:0], copies: c.copies.again(),
	}
}

// Read returns what is there, of several chunks if they came together, so that one event is not held up by the next.
func (c *chunks) Read(p []byte) (n int, err error) {
	for err == nil && n < len(p) && (n == 0 || c.hasMore()) {
		var part int
		part, err = c.read(p[n:])
		n += part
	}
	return n, err
}

func (c *chunks) read(p []byte) (int, error) {
	if c.left == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n, err := c.lines.reader.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, truncated(err)
}

// hasMore says whether another read would not wait: data, or the whole line before them, is there. After a last chunk
// that is the trailer, too.
func (c *chunks) hasMore() bool {
	there := c.lines.reader.rest()
	if c.left > 0 {
		return len(there) > 0
	}
	there = bytes.TrimPrefix(there, []byte("\r\n"))
	if len(there) > 0 && there[0] == '0' {
		return bytes.Contains(there, []byte("\r\n\r\n"))
	}
	return bytes.IndexByte(there, '\n') > 0
}

// next goes to the following chunk; io.EOF after the last one and the trailer.
func (c *chunks) next() (err error) {
	if c.began {
		if err := c.endChunk(); err != nil {
			return err
		}
	}
	c.lines.left = maxChunkLine
	line, err := c.lines.next()
	if err != nil {
		return err
	}
	if c.left, err = chunkSize(line); err != nil {
		return err
	}
	c.began = true
	if c.left > 0 {
		return nil
	}
	return c.end()
}

func (c *chunks) endChunk() error {
	c.lines.left = len("\r\n")
	line, err := c.lines.next()
	if err == nil && len(line) == 0 {
		return nil
	}
	if err == nil || errors.Is(err, ErrHeaderTooLarge) {
		return fmt.Errorf("%w: a chunk is longer than its size", ErrResponse)
	}
	return err
}

func (c *chunks) end() (err error) {
	c.lines.left = c.maxHeader
	if c.trailer, err = readFields(&c.lines, c.trailer, &c.copies); err != nil {
		return err
	}
	return io.EOF
}

// chunkSize reads "1a;extension".
func chunkSize(line []byte) (int64, error) {
	size, _, _ := bytes.Cut(line, []byte(";"))
	size = bytes.TrimRight(size, " \t")
	var n int64
	for _, c := range size {
		digit := hexDigit(c)
		if digit < 0 || n > math.MaxInt64>>4 {
			return 0, fmt.Errorf("%w: chunk size %.20q", ErrResponse, line)
		}
		n = n<<4 | digit
	}
	if len(size) == 0 {
		return 0, fmt.Errorf("%w: chunk size %.20q", ErrResponse, line)
	}
	return n, nil
}

func hexDigit(c byte) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10
	default:
		return -1
	}
}
