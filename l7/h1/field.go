package h1

import (
	"bytes"
	"encoding/binary"

	"github.com/fairlead/fairlead/l7/fields"
)

// parseField reads a field line (RFC 9112, section 5). Its strings are the line's memory.
func parseField(line []byte) (fields.Field, error) {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !isToken(line[:colon]) {
		return fields.Field{}, errFieldLine
	}
	value := trim(line[colon+1:])
	if !isPlain(value) {
		return fields.Field{}, errValue
	}
	return fields.Field{Name: text(line[:colon]), Value: text(value)}, nil
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// isPlain says whether a value has no control character but tabs. It takes eight bytes at a time: values are most of
// what visitors send.
func isPlain(b []byte) bool {
	for len(b) >= 8 {
		if suspicious(binary.LittleEndian.Uint64(b)) && !plainBytes(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return plainBytes(b)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// suspicious finds a byte below 0x20 or of 0x7f among eight; it may err on the side of caution.
func suspicious(x uint64) bool {
	del := x ^ 0x7f*ones
	return ((x-0x20*ones)&^x|(del-ones)&^del)&highs != 0
}

func plainBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
