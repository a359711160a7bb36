package relay

import (
	"net"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// case B211: no descriptor left is no end; the pauses grow until something is accepted again.
func TestAcceptGoesOnAfterTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &troubled{says: []error{syscall.EMFILE, syscall.EMFILE, syscall.EMFILE, nil, syscall.ECONNABORTED, net.ErrClosed}}
		var pauses []time.Duration
		taken, began := 0, time.Now()
		AcceptAll(l, func(net.Conn) { taken++ }, func(err error, pause time.Duration) {
			pauses = append(pauses, pause)
		})
		want := []time.Duration{FirstPause, 2 * FirstPause, 4 * FirstPause, FirstPause}
		if taken != 1 || !slices.Equal(pauses, want) || time.Since(began) != 8*FirstPause {
			t.Errorf("%d taken, after %s with the pauses %v", taken, time.Since(began), pauses)
		}
	})
}

// troubled is a listener that says what it is told to.
type troubled struct {
	net.Listener
	says []error
}

func (l *troubled) Accept() (net.Conn, error) {
	err := l.says[0]
	l.says = l.says[1:]
	return nil, err
}
