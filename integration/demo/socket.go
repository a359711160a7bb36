package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/gobwas/ws"
)

// maxFrame bounds one frame's payload, which is held in memory.
const maxFrame = 64 << 20

// socket echoes a WebSocket frame by frame, fragments as they came. It takes the first subprotocol that is offered.
// ?greet=TEXT sends a text frame right behind the 101; ?close=CODE&reason=TEXT closes at once with that code.
func (a *app) socket(w http.ResponseWriter, r *http.Request) {
	upgrader := ws.HTTPUpgrader{Protocol: func(string) bool { return true }}
	conn, buffered, _, err := upgrader.Upgrade(r, w)
	if err != nil {
		return // the upgrader has answered
	}
	defer conn.Close()
	query := r.URL.Query()
	if greeting := query.Get("greet"); greeting != "" {
		ws.WriteFrame(conn, ws.NewTextFrame([]byte(greeting)))
	}
	if code, err := strconv.Atoi(query.Get("close")); err == nil {
		writeClose(conn, ws.StatusCode(code), query.Get("reason"))
		return
	}
	// A hijacked connection is no longer the server's to stop.
	defer context.AfterFunc(a.stopping, func() { conn.SetReadDeadline(time.Now()) })()
	for {
		// Early frames may sit in the buffer that net/http read ahead.
		more, err := echoFrame(conn, buffered)
		if err != nil && a.stopping.Err() != nil {
			writeClose(conn, ws.StatusGoingAway, "stopping")
		}
		if err != nil || !more {
			return
		}
	}
}

// echoFrame reports whether another frame may follow.
func echoFrame(conn net.Conn, from io.Reader) (more bool, err error) {
	header, err := ws.ReadHeader(from)
	if err != nil {
		return false, err
	}
	if header.Length > maxFrame {
		return false, writeClose(conn, ws.StatusMessageTooBig, "")
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(from, payload); err != nil {
		return false, err
	}
	if header.Masked {
		ws.Cipher(payload, header.Mask, 0)
	}
	switch header.OpCode {
	case ws.OpPong:
		return true, nil
	case ws.OpPing:
		return true, ws.WriteFrame(conn, ws.NewPongFrame(payload))
	case ws.OpClose: // RFC 6455, 5.5.1: the code goes back as it came
		return false, ws.WriteFrame(conn, ws.NewCloseFrame(payload))
	default:
		return true, ws.WriteFrame(conn, ws.NewFrame(header.OpCode, header.Fin, payload))
	}
}

func writeClose(conn net.Conn, code ws.StatusCode, reason string) error {
	// In one piece: the process may end at any moment.
	_, err := conn.Write(ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, reason))))
	return err
}
