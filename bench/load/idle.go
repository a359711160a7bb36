package main

import (
	"io"
	"net"
	"sync"

	"github.com/fairlead/fairlead/bench/harness"
)

// held keeps the connections from the garbage collector, which closes what it finds.
var held []io.Closer

// idle opens connections, a few at a time, and leaves them.
func (o options) idle(open func() (io.Closer, error)) (harness.Load, error) {
	var mu sync.Mutex // guards made and held
	var made harness.Load
	var all sync.WaitGroup
	for part := range 8 {
		all.Go(func() {
			for i := part; i < o.conns; i += 8 {
				conn, err := open()
				mu.Lock()
				if err != nil {
					made.Errors, made.Error = made.Errors+1, err.Error()
				} else {
					made.Requests, held = made.Requests+1, append(held, conn)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return made, nil
}

func closer(open func() (net.Conn, error)) func() (io.Closer, error) {
	return func() (io.Closer, error) { return open() }
}

// warm is a connection on which one request was answered: before that, servers hold less for it.
func (o options) warm() (net.Conn, error) {
	c, err := o.open()
	if err != nil {
		return nil, err
	}
	return c.Conn, c.get()
}
