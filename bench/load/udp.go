package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/l4/datagram"
)

// lateAfter is when datagrams that have not come back are given up.
const lateAfter = 300 * time.Millisecond

// flow sends a window of datagrams and waits until they are back.
type flow interface {
	send() error
	receive(deadline time.Time) (n int, err error)
	Close() error
}

// windows counts datagrams that came back. One that did not is an error, of which a proxy may have some.
func (o options) windows() (harness.Load, error) {
	end := time.Now().Add(o.during)
	lost := make([]int, o.conns)
	made, err := o.side(func(i int, t *tally) error {
		f, err := o.flow()
		if err != nil {
			return err
		}
		defer f.Close()
		for sent := time.Now(); sent.Before(end); sent = time.Now() {
			if err := f.send(); err != nil {
				return err
			}
			back, err := o.await(f, sent.Add(lateAfter))
			if err != nil {
				return err
			}
			lost[i] += o.window - back
			for range back {
				t.took(time.Since(sent))
			}
		}
		return nil
	})
	for _, n := range lost {
		if n > 0 {
			made.Errors, made.Error = made.Errors+n, "lost"
		}
	}
	return made, err
}

func (o options) await(f flow, until time.Time) (back int, err error) {
	for back < o.window {
		n, err := f.receive(until)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return back, nil
		}
		if err != nil {
			return back, err
		}
		back += n
	}
	return back, nil
}

func (o options) flow() (flow, error) {
	if o.joined {
		return o.joinedFlow()
	}
	conn, err := net.Dial("udp4", o.address)
	if err != nil {
		return nil, err
	}
	f := &eachFlow{UDPConn: conn.(*net.UDPConn), out: make([]ipv4.Message, o.window), in: make([]ipv4.Message, o.window)}
	f.packets = ipv4.NewPacketConn(f.UDPConn)
	for i := range o.window {
		f.out[i].Buffers, f.in[i].Buffers = [][]byte{make([]byte, o.size)}, [][]byte{make([]byte, 2048)}
	}
	return f, nil
}

// eachFlow sends datagrams one by one, in one call.
type eachFlow struct {
	*net.UDPConn
	packets *ipv4.PacketConn
	out, in []ipv4.Message
}

func (f *eachFlow) send() error {
	for sent := 0; sent < len(f.out); {
		n, err := f.packets.WriteBatch(f.out[sent:], 0)
		if err != nil {
			return err
		}
		sent += n
	}
	return nil
}

func (f *eachFlow) receive(deadline time.Time) (int, error) {
	_ = f.SetReadDeadline(deadline)
	return f.packets.ReadBatch(f.in, 0)
}

// joinedFlow sends a window as one message that the kernel takes apart (UDP_SEGMENT), and takes what it has put together.
type joinedFlow struct {
	*datagram.Conn
	window, size int
	data         []byte
}

func (o options) joinedFlow() (flow, error) {
	to, err := netip.ParseAddrPort(o.address)
	if err != nil {
		return nil, fmt.Errorf("parse the address: %w", err)
	}
	conn, err := datagram.Dial(to, false)
	if err != nil {
		return nil, err
	}
	return &joinedFlow{conn, o.window, o.size, make([]byte, o.window*o.size)}, nil
}

func (f *joinedFlow) send() error {
	out := datagram.Borrow()
	defer out.Free()
	out.Add(f.data, datagram.Addr{}, datagram.Local{}, f.size)
	return f.Send(out).Err
}

func (f *joinedFlow) receive(deadline time.Time) (n int, err error) {
	_ = f.SetReadDeadline(deadline)
	batch, err := f.Receive()
	if err != nil {
		return 0, err
	}
	defer batch.Free()
	for _, m := range batch.Messages() {
		n += m.Count()
	}
	return n, nil
}
