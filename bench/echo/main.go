// Echo is the app behind the TCP and UDP proxies that are compared. It spends as little as it can, so that the proxies
// get the machine.
//
//	TCP :8080  the first byte says what a connection is for: 'e' echo, 'o' echo once and end, 'd' send until it ends
//	UDP :8080  echo, every datagram by itself
//	UDP :8081  echo, those of one size put together (UDP_SEGMENT)
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/fairlead/fairlead/l4/datagram"
)

func main() {
	fmt.Fprintln(os.Stderr, run())
	os.Exit(1)
}

func run() error {
	listener, err := net.Listen("tcp", ":8080")
	if err != nil {
		return err
	}
	plain, err := net.ListenPacket("udp4", ":8080")
	if err != nil {
		return err
	}
	joined, err := datagram.Listen(context.Background(), ":8081")
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- echoEach(plain.(*net.UDPConn)) }()
	go func() { ended <- echoJoined(joined) }()
	go accept(listener)
	return <-ended
}

func accept(listener net.Listener) {
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

var block = make([]byte, 64<<10)

func serve(conn net.Conn) {
	defer conn.Close()
	buffer := make([]byte, 4<<10)
	n, err := conn.Read(buffer)
	for err == nil {
		switch buffer[0] {
		case 'd':
			for err == nil {
				_, err = conn.Write(block)
			}
			return
		case 'o':
			_, _ = conn.Write(buffer[:n])
			return
		}
		if _, err = conn.Write(buffer[:n]); err == nil {
			n, err = conn.Read(buffer)
		}
	}
	if err != io.EOF {
		conn.(*net.TCPConn).SetLinger(0)
	}
}

// each is how many datagrams one call moves.
const each = 64

func echoEach(conn *net.UDPConn) error {
	_ = conn.SetReadBuffer(8 << 20)
	packets := ipv4.NewPacketConn(conn)
	in, out := make([]ipv4.Message, each), make([]ipv4.Message, each)
	for i := range in {
		in[i].Buffers, out[i].Buffers = [][]byte{make([]byte, 2048)}, make([][]byte, 1)
	}
	for {
		n, err := packets.ReadBatch(in, 0)
		if err != nil {
			return err
		}
		for i := range n {
			out[i].Buffers[0], out[i].Addr = in[i].Buffers[0][:in[i].N], in[i].Addr
		}
		for sent := 0; sent < n; {
			m, err := packets.WriteBatch(out[sent:n], 0)
			if err != nil {
				break // the client is gone
			}
			sent += m
		}
	}
}

func echoJoined(conn *datagram.Conn) error {
	for {
		batch, err := conn.Receive()
		if err != nil {
			return err
		}
		for _, m := range batch.Messages() {
			batch.Out.Add(m.Data, m.Peer, m.Local, m.Segment)
		}
		conn.Send(&batch.Out)
		batch.Free()
	}
}
