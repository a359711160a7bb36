package tunnel

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

// peer is the other side of an SSH connection, as far as keepAlive sees it.
type peer struct {
	ssh.Conn
	answer func(closed <-chan struct{}) error
	closed chan struct{}
}

func (p *peer) SendRequest(string, bool, []byte) (bool, []byte, error) {
	return false, nil, p.answer(p.closed)
}

func (p *peer) Close() error {
	close(p.closed)
	return nil
}

var errCut = errors.New("cut")

// case B022: with the usual times a half-open connection is found within 30 s, whenever it became one.
func TestKeepAlive(t *testing.T) {
	silentFrom := func(from time.Duration) (found time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := &peer{closed: make(chan struct{}), answer: func(closed <-chan struct{}) error {
				if time.Since(began) < from {
					return nil
				}
				<-closed
				return errCut
			}}
			keepAlive(p, SSH{}.keepAlive(), make(chan struct{}))
			<-p.closed
			found = time.Since(began) - from
		})
		return found
	}
	for _, from := range []time.Duration{0, time.Minute, time.Minute + time.Millisecond} {
		if took := silentFrom(from); took > 30*time.Second {
			t.Errorf("silent from %s: found after %s", from, took)
		}
	}
}

// It ends with the connection, also while a question is open.
func TestKeepAliveEnds(t *testing.T) {
	for _, after := range []time.Duration{time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan struct{})
			p := &peer{closed: make(chan struct{}), answer: func(<-chan struct{}) error {
				<-ended
				return errCut
			}}
			time.AfterFunc(after, func() { close(ended) })
			keepAlive(p, keepAliveEvery, ended)
			select {
			case <-p.closed:
				t.Error("closed what had ended")
			default:
			}
		})
	}
}
