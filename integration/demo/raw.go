package main

import (
	"context"
	"fmt"
	"io"
	"net"
)

// askID is the one word that the echoes answer with the replica's id, where the echo alone could not say who answered.
const askID = "id\n"

// serveRaw starts the TCP and UDP echoes that the settings ask for; they end with ctx.
func serveRaw(ctx context.Context, settings settings) error {
	var config net.ListenConfig
	if settings.tcp != "" {
		listener, err := config.Listen(ctx, "tcp", ":"+settings.tcp)
		if err != nil {
			return fmt.Errorf("listen for tcp: %w", err)
		}
		context.AfterFunc(ctx, func() { listener.Close() })
		go acceptTCP(listener, settings.replica)
	}
	if settings.udp != "" {
		conn, err := config.ListenPacket(ctx, "udp", ":"+settings.udp)
		if err != nil {
			return fmt.Errorf("listen for udp: %w", err)
		}
		context.AfterFunc(ctx, func() { conn.Close() })
		go echoUDP(conn, settings.replica)
	}
	return nil
}

func acceptTCP(listener net.Listener, replica string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go echoTCP(conn.(*net.TCPConn), replica)
	}
}

// echoTCP keeps the half-close: what was read is written back in full after the peer's FIN.
func echoTCP(conn *net.TCPConn, replica string) {
	defer conn.Close()
	first := make([]byte, 32<<10)
	n, err := conn.Read(first)
	if err != nil {
		return
	}
	if _, err := conn.Write(answer(first[:n], replica)); err != nil {
		return
	}
	io.Copy(conn, conn)
}

func echoUDP(conn net.PacketConn, replica string) {
	datagram := make([]byte, 64<<10)
	for {
		n, from, err := conn.ReadFrom(datagram)
		if err != nil {
			return
		}
		conn.WriteTo(answer(datagram[:n], replica), from)
	}
}

func answer(asked []byte, replica string) []byte {
	if string(asked) == askID {
		return []byte(replica + "\n")
	}
	return asked
}
