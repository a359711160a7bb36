package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// visit is one request with its times.
type visit struct {
	sent, first time.Time // before it was written, and when the answer's first byte was there
	replica     string    // that the demo app says it is
	body        string
}

// get asks on a connection of its own, over which nothing else comes.
func get(ctx context.Context, address, path string) (v visit, err error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return v, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	v.sent = time.Now()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n", path); err != nil {
		return v, err
	}
	reader := bufio.NewReader(conn)
	if _, err := reader.Peek(1); err != nil {
		return v, err
	}
	v.first = time.Now()
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return v, err
	}
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("got %s: %s", response.Status, body)
	}
	v.replica, v.body = response.Header.Get("Demo-Replica"), strings.TrimSpace(string(body))
	return v, err
}

// listening is the demo app's own stamp of when it began to listen.
func listening(ctx context.Context, address, app string) (time.Time, error) {
	v, err := get(ctx, address, app+"/listening")
	if err != nil {
		return time.Time{}, err
	}
	stamp, err := strconv.ParseInt(v.body, 10, 64)
	return time.Unix(0, stamp), err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
