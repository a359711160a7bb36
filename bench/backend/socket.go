package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net"

	"github.com/gobwas/ws"
)

// accept answers a handshake's key: RFC 6455 section 4.2.2.
func accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// upgrade echoes frames until the connection ends.
func upgrade(conn net.Conn, reader *bufio.Reader, key string) {
	_, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: "+accept(key)+"\r\n\r\n")
	for err == nil {
		err = echo(conn, reader)
	}
}

// echo sends one frame back in one write, unmasked as a server's frames are.
func echo(conn net.Conn, reader *bufio.Reader) error {
	header, err := ws.ReadHeader(reader)
	if err != nil {
		return err
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(reader, payload); err != nil {
		return err
	}
	if header.Masked {
		ws.Cipher(payload, header.Mask, 0)
	}
	raw, err := ws.CompileFrame(ws.NewFrame(header.OpCode, header.Fin, payload))
	if err != nil {
		return err
	}
	_, err = conn.Write(raw)
	return err
}
