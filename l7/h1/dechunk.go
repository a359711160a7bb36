package h1

import (
	"bytes"

	"github.com/fairlead/fairlead/l7/fields"
)

// dechunker reads a chunked body (RFC 9112, section 7.1) out of whatever pieces it comes in. It does no I/O and has no
// buffer but the trailer's.
type dechunker struct {
	state   chunkState
	left    int64 // of the present chunk
	digits  int   // of the size that is being read
	noise   int   // bytes of extensions and leading zeros
	trailer []byte
	fields  fields.List
}

type chunkState byte

const (
	chunkSize0 chunkState = iota // before the first digit
	chunkSizeN                   // after one
	chunkExtension
	chunkLineLF
	chunkData
	chunkDataCR
	chunkDataLF
	chunkTrailer
	chunkDone
)

const (
	maxNoise        = 16 << 10 // beyond what the data account for
	maxTrailer      = 16 << 10
	maxTrailerLines = 64
	maxSizeDigits   = 15
)

// decode takes bytes from src and writes the data among them to dst, which may be src itself. It stops when dst is full,
// src is used up, or the body has ended.
func (d *dechunker) decode(dst, src []byte) (written, taken int, err error) {
	for taken < len(src) && d.state != chunkDone {
		if d.state == chunkData {
			n := copy(dst[written:], src[taken:][:min(int64(len(src)-taken), d.left)])
			if n == 0 {
				return written, taken, nil
			}
			written, taken = written+n, taken+n
			if d.left -= int64(n); d.left == 0 {
				d.state = chunkDataCR
			}
			d.noise = max(0, d.noise-n)
			continue
		}
		if err := d.step(src[taken]); err != nil {
			return written, taken, err
		}
		taken++
	}
	return written, taken, nil
}

// done says whether the body has ended, with its trailer.
func (d *dechunker) done() bool { return d.state == chunkDone }

// step takes a byte of framing.
func (d *dechunker) step(c byte) error {
	switch d.state {
	case chunkSize0, chunkSizeN:
		return d.size(c)
	case chunkExtension:
		return d.extension(c)
	case chunkLineLF:
		return d.lineEnd(c)
	case chunkDataCR:
		d.state = chunkDataLF
		return want(c, '\r')
	case chunkDataLF:
		d.state, d.left, d.digits = chunkSize0, 0, 0
		return want(c, '\n')
	default:
		return d.trail(c)
	}
}

func want(c, wanted byte) error {
	if c != wanted {
		return errChunkEnd
	}
	return nil
}

func (d *dechunker) size(c byte) error {
	if digit := hexDigit(c); digit >= 0 {
		d.state = chunkSizeN
		d.left = d.left<<4 | digit
		if d.digits++; d.digits > maxSizeDigits {
			return errChunkLine
		}
		return d.noisy(min(1, d.digits-1))
	}
	if d.state == chunkSize0 {
		return errChunkLine
	}
	switch c {
	case '\r':
		d.state = chunkLineLF
	case ';':
		d.state = chunkExtension
	default:
		return errChunkLine
	}
	return nil
}

func (d *dechunker) extension(c byte) error {
	if c == '\r' {
		d.state = chunkLineLF
		return nil
	}
	if c < ' ' && c != '\t' || c == 0x7f {
		return errChunkLine
	}
	return d.noisy(1)
}

// noisy counts what is neither data nor needed to frame them (CVE-2023-39326).
func (d *dechunker) noisy(n int) error {
	if d.noise += n; d.noise > maxNoise {
		return errChunkNoise
	}
	return nil
}

func (d *dechunker) lineEnd(c byte) error {
	if c != '\n' {
		return errChunkLine
	}
	if d.state = chunkData; d.left == 0 {
		d.state = chunkTrailer
	}
	return nil
}

// trail collects the trailer up to its empty line.
func (d *dechunker) trail(c byte) error {
	d.trailer = append(d.trailer, c)
	if len(d.trailer) > maxTrailer {
		return errTrailer
	}
	if c != '\n' {
		return nil
	}
	if string(d.trailer) == "\r\n" || bytes.HasSuffix(d.trailer, []byte("\r\n\r\n")) {
		d.state = chunkDone
		return d.parseTrailer()
	}
	return nil
}

func (d *dechunker) parseTrailer() error {
	rest := d.trailer
	for {
		line, more, found := bytes.Cut(rest, []byte("\n"))
		line, ended := bytes.CutSuffix(line, []byte("\r"))
		switch {
		case !found || !ended:
			return errLineEnd
		case len(line) == 0:
			return nil
		case line[0] == ' ' || line[0] == '\t':
			return errFolded
		case len(d.fields) == maxTrailerLines:
			return errTrailer
		}
		f, err := parseField(line)
		if err != nil {
			return err
		}
		d.fields = append(d.fields, f)
		rest = more
	}
}
