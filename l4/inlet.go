package l4

import (
	"errors"
	"net"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/relay/loop"
)

// inlet reads one of the sockets of a UDP listener. Each is on a loop of its own, together with its clients' sessions, and
// the kernel gives all that a client sends to the same one: a datagram and its answer are one thread's work, and wake no
// goroutine. Where there are no loops a goroutine reads the only one.
type inlet struct {
	socket *udpSocket
	conn   *datagram.Conn
	pause  time.Duration // after the next error

	loop *loop.Loop // nil: there is none
	fd   int

	// of the loop
	key    loop.Key
	timer  loop.Timer
	closed bool
}

// mostInlets of one listener: a range of ports is up to 256 of these.
const mostInlets = 8

// inletsOf makes the inlets of a listener. Fewer than there are loops do as well, if descriptors are short.
func inletsOf(s *udpSocket, first *datagram.Conn) []*inlet {
	alone := &inlet{socket: s, conn: first, pause: relay.FirstPause}
	all := []*inlet{alone}
	loops := loop.Shared()
	if loops == nil || !alone.moves(loops.Pick()) {
		return all
	}
	for _, l := range loops.All() {
		if l == alone.loop || len(all) == mostInlets {
			continue
		}
		conn, err := first.Beside()
		if err != nil {
			break
		}
		another := &inlet{socket: s, conn: conn, pause: relay.FirstPause}
		if !another.moves(l) {
			conn.Close()
			break
		}
		all = append(all, another)
	}
	return all
}

// moves takes an inlet that nobody uses yet to a loop, if it can be.
func (i *inlet) moves(to *loop.Loop) bool {
	fd, err := i.conn.Detach()
	if err != nil {
		return false
	}
	i.loop, i.fd = to, fd
	return true
}

// run reads until the inlet is closed; on a loop, it returns at once.
func (i *inlet) run() {
	if i.loop != nil {
		i.loop.Do(i.open)
		return
	}
	for {
		batch, err := i.conn.Receive()
		if errors.Is(err, net.ErrClosed) {
			return // nothing else that reading can say is an end
		}
		if err != nil {
			time.Sleep(i.troubled(err))
			continue
		}
		i.hear(batch)
	}
}

// Close returns when nothing is read any more. It must not be called on a loop.
func (i *inlet) Close() error {
	if i.loop == nil {
		return i.conn.Close()
	}
	done := make(chan error)
	i.loop.Do(func() {
		i.closed = true
		i.loop.Stop(&i.timer)
		i.loop.Remove(i.key)
		done <- i.conn.Close()
	})
	return <-done
}

func (i *inlet) open() {
	if i.closed {
		return
	}
	i.timer.Fire = func() { i.Ready(0) }
	var err error
	if i.key, err = i.loop.AddReader(i.fd, i); err != nil {
		i.timer.Fire = i.open
		i.loop.After(&i.timer, i.troubled(err))
	}
}

// Ready is the loop's news. A batch that is not full was the last: what comes after it is told anew.
func (i *inlet) Ready(loop.Events) {
	for range mostBatches {
		batch, err := i.conn.Try()
		if err != nil {
			i.loop.After(&i.timer, i.troubled(err))
			return
		}
		if batch == nil {
			return
		}
		full := batch.Full()
		i.hear(batch)
		if !full {
			return
		}
	}
	i.loop.Again(i.key)
}

func (i *inlet) hear(batch *datagram.Batch) {
	i.pause = relay.FirstPause
	i.socket.carry(batch, i)
	batch.Free()
}

// troubled tells of an error, and returns how long to wait before the next time.
func (i *inlet) troubled(err error) (pause time.Duration) {
	pause, i.pause = i.pause, min(2*i.pause, relay.LongestPause)
	i.socket.front.log.Warn("datagrams could not be read", "listener", i.socket.key.String(), "error", err, "pause", pause)
	return pause
}
