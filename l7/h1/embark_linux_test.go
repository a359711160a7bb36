package h1

import (
	"net"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay/fiber"
	"github.com/fairlead/fairlead/relay/loop"
)

// A connection that is on its way to a loop when the server leaves ends as soon as one that is there.
func TestLeavingOnTheWayToALoop(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	visitor, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer visitor.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Handler: echoes, HeaderTimeout: time.Minute}
	c := newInbound(s, conn)
	strand, err := fiber.Of(loop.Shared().Pick()).Adopt(conn.(*net.TCPConn), c)
	if err != nil || !s.enter(c) {
		t.Fatal(err)
	}
	for _, c := range s.leave() {
		c.hurry()
	}
	c.embark(strand, s.headerTimeout())
	select {
	case <-s.empty:
	case <-time.After(10 * lastCall):
		t.Error("it is still there")
	}
}

// What is between its answer and its rest when the server closes does not come to rest: nobody would end it.
func TestNoRestAfterClose(t *testing.T) {
	s := &Server{Handler: echoes}
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := newInbound(s, ours)
	c.phase.Store(idle)
	s.enter(c)
	s.Close()
	if c.phase.CompareAndSwap(idle, parked) {
		t.Error("it rests")
	}
}
