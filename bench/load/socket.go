package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"time"

	"github.com/gobwas/ws"

	"github.com/fairlead/fairlead/bench/harness"
)

// socket is one WebSocket; what came early with the handshake's answer would be read first.
func (o options) socket() (net.Conn, error) {
	conn, _, _, err := ws.Dial(context.Background(), "ws://"+o.address+"/ws")
	return conn, err
}

// echoes sends a message on each WebSocket as soon as the last one is back.
func (o options) echoes() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		conn, err := o.socket()
		if err != nil {
			return err
		}
		defer conn.Close()
		return o.echo(conn, end, t)
	})
}

func (o options) echo(conn net.Conn, end time.Time, t *tally) error {
	frame, err := ws.CompileFrame(ws.MaskFrame(ws.NewBinaryFrame(bytes.Repeat([]byte("x"), o.size))))
	if err != nil {
		return err
	}
	reader := bufio.NewReaderSize(conn, 4<<10)
	for sent := time.Now(); sent.Before(end); sent = time.Now() {
		if _, err := conn.Write(frame); err != nil {
			return err
		}
		header, err := ws.ReadHeader(reader)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, reader, header.Length); err != nil {
			return err
		}
		t.took(time.Since(sent))
	}
	return nil
}
