package l4

import (
	"net"
	"os"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay/loop"
)

// ear listens to the app for a session. On a loop an answer wakes no goroutine, which for a datagram that comes alone is
// most of what it costs; where there are no loops the session's own goroutine reads.
type ear struct {
	session *session
	app     *datagram.Conn
	began   time.Time

	loop *loop.Loop // nil: there is none
	fd   int
	over chan error // why the listening has ended, from the loop

	// of the loop
	key   loop.Key
	timer loop.Timer
	opens bool
	ended bool
}

// dials makes the session's ear, with a connection to the app.
func (s *session) dials(to pool.Endpoint) (e *ear, err error) {
	e = &ear{session: s, loop: s.inlet.loop, over: make(chan error, 1)}
	if e.loop == nil {
		e.app, err = datagram.Dial(to.Addr, to.Direct)
		return e, err
	}
	e.app, e.fd, err = datagram.DialDetached(to.Addr, to.Direct)
	return e, err
}

// listen returns why it has ended: errSilent after udp_idle, errAnswered when all answers are there, or why reading did.
func (e *ear) listen() error {
	e.began = time.Now()
	if e.loop == nil {
		return e.byGoroutine()
	}
	e.loop.Do(e.open)
	return <-e.over
}

// stop ends the listening with net.ErrClosed.
func (e *ear) stop() {
	if e.loop == nil {
		e.app.Close()
		return
	}
	e.loop.Do(func() { e.end(net.ErrClosed) })
}

// poke has the ear ask its session whether it is over.
func (e *ear) poke() {
	if e.loop == nil {
		_ = e.app.SetReadDeadline(past)
		return
	}
	e.loop.Do(e.look)
}

func (e *ear) byGoroutine() error {
	_ = e.app.SetReadDeadline(e.session.next(e.began))
	for {
		batch, err := e.app.Receive()
		if over := e.hear(batch, err); over != nil {
			return over
		}
		if err != nil {
			_ = e.app.SetReadDeadline(e.session.next(e.began)) // only now: traffic goes on without it
		}
	}
}

// hear is told what reading has said, and returns why that was the last.
func (e *ear) hear(batch *datagram.Batch, err error) error {
	if err == nil {
		e.session.bring(batch)
		batch.Free()
		return e.session.satisfied()
	}
	return e.session.interrupted(err, e.began)
}

func (e *ear) open() {
	if e.ended {
		return
	}
	var err error
	if e.key, err = e.loop.AddReader(e.fd, e); err != nil {
		e.end(err)
		return
	}
	e.opens, e.timer.Fire = true, e.look
	e.look()
}

// look is what the deadline is to a goroutine.
func (e *ear) look() {
	if !e.opens || e.ended {
		return
	}
	over := e.session.satisfied()
	if over == nil {
		over = e.hear(nil, os.ErrDeadlineExceeded)
	}
	if over != nil {
		e.end(over)
		return
	}
	e.loop.After(&e.timer, time.Until(e.session.next(e.began)))
}

// mostBatches of one session, before others have their turn.
const mostBatches = 4

// Ready is the loop's news. A batch that is not full was the last: what comes after it is told anew.
func (e *ear) Ready(events loop.Events) {
	for range mostBatches {
		batch, err := e.app.Try()
		if batch == nil && err == nil {
			return
		}
		more := err == nil && (batch.Full() || events&loop.Failed != 0)
		if over := e.hear(batch, err); over != nil {
			e.end(over)
			return
		}
		if !more {
			return
		}
	}
	e.loop.Again(e.key)
}

func (e *ear) end(why error) {
	if e.ended {
		return
	}
	e.ended = true
	if e.opens {
		e.loop.Stop(&e.timer)
		e.loop.Remove(e.key)
	}
	e.over <- why
}
