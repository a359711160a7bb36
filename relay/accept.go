package relay

import (
	"errors"
	"net"
	"time"
)

// Pauses after an accept that failed, each twice the last.
const (
	FirstPause   = 5 * time.Millisecond
	LongestPause = time.Second
)

// AcceptAll hands every connection of a listener to take until the listener is closed. Whatever else Accept says passes: a
// connection that was reset in the queue, or no descriptor left, which the next connection to end gives back (case B211).
// Trouble is told of it, and of the pause before the next try.
func AcceptAll(l net.Listener, take func(net.Conn), trouble func(err error, pause time.Duration)) {
	pause := FirstPause
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			pause = FirstPause
			take(conn)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			trouble(err, pause)
			time.Sleep(pause)
			pause = min(2*pause, LongestPause)
		}
	}
}
