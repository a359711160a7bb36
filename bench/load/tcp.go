package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
)

// message is what the app (bench/echo) is asked with; its first byte says for what.
func (o options) message(purpose byte) []byte {
	text := bytes.Repeat([]byte("x"), max(1, o.size))
	text[0] = purpose
	return text
}

func roundTrip(conn net.Conn, message, back []byte) error {
	if _, err := conn.Write(message); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, back)
	return err
}

// connections opens one after the other on each of conns sides; each has one message echoed, and the app ends it: so no
// proxy runs out of ports, which stay taken for a minute on the side that ends a connection first.
func (o options) connections() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		message, back := o.message('o'), make([]byte, max(1, o.size))
		for began := time.Now(); began.Before(end); began = time.Now() {
			if err := o.connection(message, back); err != nil {
				return err
			}
			t.took(time.Since(began))
		}
		return nil
	})
}

func (o options) connection(message, back []byte) error {
	conn, err := net.Dial("tcp", o.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := roundTrip(conn, message, back); err != nil {
		return err
	}
	if n, err := conn.Read(back); n != 0 || err != io.EOF {
		return fmt.Errorf("%d bytes and %v where the end should be", n, err)
	}
	return nil
}

// messages sends one on each connection as soon as the last one is back.
func (o options) messages() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		conn, err := o.echoing()
		if err != nil {
			return err
		}
		defer conn.Close()
		message, back := o.message('e'), make([]byte, max(1, o.size))
		for sent := time.Now(); sent.Before(end); sent = time.Now() {
			if err := roundTrip(conn, message, back); err != nil {
				return err
			}
			t.took(time.Since(sent))
		}
		return nil
	})
}

// echoing is a connection on which one message came back.
func (o options) echoing() (net.Conn, error) {
	conn, err := net.Dial("tcp", o.address)
	if err != nil {
		return nil, err
	}
	conn.(*net.TCPConn).SetLinger(0) // thousands of ports would be taken for a minute
	return conn, roundTrip(conn, o.message('e'), make([]byte, max(1, o.size)))
}

// bulk reads as much as comes; it counts MiB.
func (o options) bulk() (harness.Load, error) {
	end := time.Now().Add(o.during)
	return o.side(func(_ int, t *tally) error {
		conn, err := net.Dial("tcp", o.address)
		if err != nil {
			return err
		}
		defer conn.Close()
		conn.(*net.TCPConn).SetLinger(0) // what is on its way is not read
		if _, err := conn.Write([]byte{'d'}); err != nil {
			return err
		}
		buffer := make([]byte, 64<<10)
		for began, bytes := time.Now(), 0; began.Before(end); {
			n, err := conn.Read(buffer)
			if err != nil {
				return err
			}
			for bytes += n; bytes >= 1<<20; bytes -= 1 << 20 {
				t.took(time.Since(began))
				began = time.Now()
			}
		}
		return nil
	})
}
