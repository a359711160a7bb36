package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
)

// client is one connection that speaks HTTP/1.1.
type client struct {
	net.Conn
	reader  *bufio.Reader
	request []byte
}

// unchecked makes a full handshake each time: a session is resumed only with a cache. It offers P-256
// alone, which all servers know: left to themselves Go's take X25519MLKEM768, and nginx 1.22 takes no other than P-256.
var unchecked = &tls.Config{
	InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}, CurvePreferences: []tls.CurveID{tls.CurveP256},
}

// open connects; more are fields of every request.
func (o options) open(more ...string) (*client, error) {
	conn, err := net.Dial("tcp", o.address)
	if err != nil {
		return nil, err
	}
	if o.tls {
		conn = tls.Client(conn, unchecked)
	}
	request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: load\r\nAccept: */*\r\n", o.path, o.address)
	for _, field := range more {
		request = append(request, field+"\r\n"...)
	}
	return &client{conn, bufio.NewReaderSize(conn, 4<<10), append(request, "\r\n"...)}, nil
}

func (c *client) get() error {
	body, err := c.ask()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, body)
	return err
}

// ask returns the body of the answer, which is to be read to its end.
func (c *client) ask() (io.Reader, error) {
	if _, err := c.Write(c.request); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("got %s", response.Status)
	}
	return response.Body, nil
}
