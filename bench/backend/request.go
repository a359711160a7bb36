package main

import (
	"bufio"
	"bytes"
	"strconv"
)

// request is what matters of a request's head.
type request struct {
	path   string
	length int64
	key    string // of a WebSocket handshake
	last   bool   // the connection ends with the answer
}

func readHead(reader *bufio.Reader) (r request, err error) {
	line, err := reader.ReadSlice('\n')
	if err != nil {
		return r, err
	}
	if _, rest, ok := bytes.Cut(line, []byte(" ")); ok {
		path, _, _ := bytes.Cut(rest, []byte(" "))
		r.path = string(path)
	}
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return r, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return r, nil
		}
		r.field(line)
	}
}

func (r *request) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case bytes.EqualFold(name, []byte("content-length")):
		r.length, _ = strconv.ParseInt(string(value), 10, 64)
	case bytes.EqualFold(name, []byte("connection")):
		r.last = bytes.EqualFold(value, []byte("close"))
	case bytes.EqualFold(name, []byte("sec-websocket-key")):
		r.key = string(value)
	}
}
