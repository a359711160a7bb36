// Backend is the app behind the proxies that are compared. It spends as little as it can, so that the proxies get the
// machine.
//
//	GET  /b/N     N bytes
//	POST /upload  reads the body, and answers with its size
//	GET  /ws      a WebSocket that echoes
//
// It speaks only what the bench's loaders say through a proxy: HTTP/1.1, bodies with a Content-Length, requests one
// after another.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	address := ":8080"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		conn, err := listener.Accept()
		if err != nil { // out of descriptors, while those of the last proxy's visitors are being closed
			fmt.Fprintln(os.Stderr, err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go serve(conn)
	}
}

func serve(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 8<<10)
	for {
		request, err := readHead(reader)
		if err != nil {
			return
		}
		if request.key != "" {
			upgrade(conn, reader, request.key)
			return
		}
		if err := answer(conn, reader, request); err != nil || request.last {
			return
		}
	}
}

func answer(conn net.Conn, reader *bufio.Reader, r request) error {
	if r.length > 0 {
		if _, err := io.CopyN(io.Discard, reader, r.length); err != nil {
			return err
		}
	}
	if size, ok := strings.CutPrefix(r.path, "/b/"); ok {
		return respond(conn, sized(size))
	}
	return respond(conn, plain(strconv.FormatInt(r.length, 10)))
}

// respond writes small answers at once, and large ones without a copy.
func respond(conn net.Conn, response [][]byte) error {
	buffers := net.Buffers(append([][]byte(nil), response...))
	_, err := buffers.WriteTo(conn)
	return err
}
