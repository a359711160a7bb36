package h1

import (
	"errors"
	"strings"
	"testing"
)

// dechunked feeds a body in pieces of a size, each taken apart where it lies.
func dechunked(text string, size int) (data, rest string, d *dechunker, err error) {
	d = &dechunker{}
	for !d.done() && text != "" {
		piece := []byte(text[:min(size, len(text))])
		n, taken, err := d.decode(piece, piece)
		if err != nil {
			return data, text, d, err
		}
		data += string(piece[:n])
		text = text[taken:]
	}
	return data, text, d, nil
}

func TestChunkedBodies(t *testing.T) {
	for text, want := range map[string]string{
		"0\r\n\r\n":               "",
		"5\r\nhello\r\n0\r\n\r\n": "hello",
		"5;a=b;c=\"d\"\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\n": "hello0123456789",
		"b\r\n\r\n0\r\n\r\n0\r\n\r\r\n0;last\r\nA: b\r\n\r\n":      "\r\n0\r\n\r\n0\r\n\r",
	} {
		for size := 1; size <= len(text); size++ {
			data, rest, d, err := dechunked(text+"GET", size)
			if err != nil || data != want || rest != "GET" || !d.done() {
				t.Errorf("%q by %d: got %q, rest %q, %v", text, size, data, rest, err)
			}
		}
	}
}

// case B121
func TestChunkedTrailer(t *testing.T) {
	_, _, d, err := dechunked("0\r\nA: b\r\nX-Sum:  42 \r\n\r\n", 3)
	if err != nil || len(d.fields) != 2 || d.fields.Get("a") != "b" || d.fields.Get("x-sum") != "42" {
		t.Errorf("got %v, %v", d.fields, err)
	}
}

// cases B103, B118
func TestChunkedBodiesThatAreRefused(t *testing.T) {
	for text, want := range map[string]*Malformed{
		"\r\n":                                 errChunkLine,
		"ZZ\r\n":                               errChunkLine,
		"-1\r\n":                               errChunkLine,
		"+1\r\n":                               errChunkLine,
		"0x1\r\n":                              errChunkLine,
		" 1\r\n":                               errChunkLine,
		"1 \r\n":                               errChunkLine,
		"1\n":                                  errChunkLine,
		"1\rx":                                 errChunkLine,
		"1;a\n":                                errChunkLine,
		"1;a\x00\r\n":                          errChunkLine,
		"1;a\r\r\n":                            errChunkLine,
		"ffffffffffffffff\r\n":                 errChunkLine,
		"1000000000000000\r\n":                 errChunkLine,
		"1\r\nab":                              errChunkEnd,
		"1\r\na\n":                             errChunkEnd,
		"1\r\na\r0":                            errChunkEnd,
		"0\r\nA: b\n\r\n\r\n":                  errLineEnd,
		"0\r\n\n\r\n\r\n":                      errLineEnd,
		"0\r\nA: b\r\n c\r\n\r\n":              errFolded,
		"0\r\nA : b\r\n\r\n":                   errFieldLine,
		"0\r\nA: \x00\r\n\r\n":                 errValue,
		"1;" + strings.Repeat("a", maxNoise+1): errChunkNoise,
		strings.Repeat("1;aaaaaaaaaaaaaaa\r\na\r\n", 2000):               errChunkNoise,
		"0\r\nA: " + strings.Repeat("a", maxTrailer):                     errTrailer,
		"0\r\n" + strings.Repeat("A: b\r\n", maxTrailerLines+1) + "\r\n": errTrailer,
	} {
		if data, _, _, err := dechunked(text, 7); !errors.Is(err, want) {
			t.Errorf("%.40q: got %q, %v, want %v", text, data, err, want)
		}
	}
}
