package l4

import (
	"net"
	"testing"
	"time"

	"github.com/fairlead/fairlead/relay"
)

// A scanner resets its connection as soon as it is there: the socket that was accepted does not know its peer any more.
func TestResetBeforeItIsServed(t *testing.T) {
	w := newWorld(t, nil) // the app sleeps, so that the story is told at length
	listener := w.listener().(*net.TCPListener)
	address, gone := listener.Addr().String(), make(chan struct{})
	acceptor, err := relay.Accept(listener, func(s relay.Socket) {
		<-gone
		w.front.accepted(s, w.tcpKey())
	}, func(err error, _ time.Duration) { t.Error(err) })
	if err != nil || acceptor == nil {
		t.Fatal(acceptor, err)
	}
	t.Cleanup(acceptor.Close)
	client, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	reset(client)
	client.Close()
	close(gone)
	if l := w.lines(1)[0]; l.Client != client.LocalAddr().String() || l.Reason != "left" {
		t.Errorf("got %+v", l)
	}
}

func (w *world) tcpKey() socketKey {
	for key := range w.front.table.Load().ports {
		if key.proto == "tcp" {
			return key
		}
	}
	w.Fatal("no TCP listener")
	return socketKey{}
}
