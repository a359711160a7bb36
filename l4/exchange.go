package l4

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// run is the story of one session: it is admitted to a replica, what has queued goes out in order, and answers go back
// until nobody has spoken for udp_idle, the answers that the route says are there, or the replica is gone.
func (s *session) run() {
	f := s.socket.front
	defer f.stories.End()
	s.counts.open.Inc()
	err := s.tell()
	s.begins()
	f.sessions.remove(s)
	s.mu.Lock()
	if s.over == nil {
		s.over = errOver
	}
	left := s.queue.drop()
	s.mu.Unlock()
	if err != nil {
		s.counts.drop(reason(err), left)
	}
	s.counts.open.Dec()
	s.finish(err)
}

// tell returns nil if the session ended as sessions do.
func (s *session) tell() error {
	for {
		lease, err := s.admit()
		if err != nil {
			return err
		}
		err = s.exchange(lease)
		lease.Release()
		var failed *failure
		if !errors.As(err, &failed) {
			return err
		}
		s.lost, s.avoided = err, lease.Upstream
		if s.until.IsZero() {
			s.until = time.Now().Add(s.route.app.holdMax)
		}
	}
}

// admit waits for a replica; datagrams queue meanwhile.
func (s *session) admit() (pool.Lease, error) {
	ctx, leave := context.WithCancelCause(s.socket.open)
	defer leave(nil)
	if err := s.waits(leave); err != nil {
		return pool.Lease{}, err
	}
	f := s.socket.front
	w := waiting{
		front: f, app: s.route.app, source: s.source, until: s.until, lost: s.lost, avoided: s.avoided,
		datagrams: true, waits: s.begins,
	}
	lease, err := w.admit(ctx, leave)
	s.record.held += w.held
	return lease, err
}

// exchange is the session's time with one replica. A *failure says that the app's host refused, and that the datagrams
// that nobody got are queued again.
func (s *session) exchange(lease pool.Lease) error {
	endpoint := endpointOf(lease, pool.UDP(s.route.port))
	if !endpoint.Addr.IsValid() {
		return errNoEndpoint
	}
	s.record.replica = lease.Replica.ID
	ear, err := s.dials(endpoint)
	if err != nil {
		return s.failed(lease, &failure{"dial", err})
	}
	defer ear.app.Close()
	if err := s.waits(func(error) { ear.stop() }); err != nil {
		return err
	}
	ended := s.socket.front.starts.of(lease.Upstream).ended
	defer context.AfterFunc(ended, ear.stop)()
	defer context.AfterFunc(s.socket.open, func() { s.end(context.Cause(s.socket.open)) })()
	s.flush(ear)
	s.begins()
	err = ear.listen()
	switch {
	case errors.Is(err, errSilent), errors.Is(err, errAnswered):
		return nil
	case datagram.Refused(err), errors.Is(err, errRefused):
		s.leave(nil)
		return s.failed(lease, &failure{"refused", err})
	}
	return s.leave(context.Cause(ended))
}

// leave makes datagrams queue again, and says why the session is over, if it is. With the end of its start it is, unless
// the app had answered nothing yet: what it was sent last may never have arrived, since engines tell of a death late,
// and goes to the next replica. Networks repeat datagrams, too.
func (s *session) leave(ended error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app, s.asked = nil, 0
	switch {
	case s.over != nil:
		s.queue.drop() // copies of what was sent
		return s.over
	case ended == nil:
		return nil
	case len(s.queue.datagrams) > 0:
		return &failure{"ended", ended}
	}
	s.over = ended
	return ended
}

// flush sends what has queued, in order, and lets the inlet send from then on. Copies stay until the app
// has answered, or could have refused: who is ready for TCP need not be for UDP yet, and who refuses has got none of them.
func (s *session) flush(app *ear) {
	out := datagram.Borrow()
	defer out.Free()
	s.answered = 0
	for sent := 0; ; {
		waiting := s.more(sent, app)
		if len(waiting) == 0 {
			return
		}
		sent += len(waiting)
		for _, data := range waiting {
			out.Add(data, datagram.Addr{}, datagram.Local{}, 0)
			if out.Full() {
				s.send(app, out)
			}
		}
		s.send(app, out)
	}
}

// more returns what has queued since, or opens the way for what comes.
func (s *session) more(sent int, app *ear) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.queue.datagrams[sent:]
	s.asked += int64(len(waiting))
	s.last.Store(int64(time.Since(s.record.began))) // the waiting was not silence
	if len(waiting) == 0 {
		s.app = app
	}
	return waiting
}

// settled is how long after they went out datagrams may still turn out to be lost; then the copies go. Engines tell of a
// death within half a second.
const settled = 2 * time.Second

// satisfied is errAnswered when all answers are there.
func (s *session) satisfied() error {
	if s.closes(errAnswered, s.complete) {
		return errAnswered
	}
	return nil
}

// interrupted is told of an error of reading, which may be that the time has come to look. It returns why the session's
// time with the app is over, if it is.
func (s *session) interrupted(err error, began time.Time) error {
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case s.refused.Swap(false):
		return errRefused
	case s.closes(errSilent, s.silent):
		return errSilent
	}
	if time.Since(began) >= settled {
		s.forget()
	}
	return nil
}

// next is when the session has to look at the clock again.
func (s *session) next(began time.Time) time.Time {
	idle := s.lastUse().Add(s.route.app.udpIdle)
	if until := began.Add(settled); time.Now().Before(until) && until.Before(idle) {
		return until
	}
	return idle
}

// forget drops the copies of what was sent.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.app != nil {
		s.queue.drop()
	}
}

// closes ends the session if the condition holds, so that no datagram comes in between.
func (s *session) closes(why error, condition func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !condition() {
		return false
	}
	s.over = why
	return true
}

func (s *session) silent() bool { return time.Since(s.lastUse()) >= s.route.app.udpIdle }

// complete says whether the app has given as many answers as the route says.
func (s *session) complete() bool {
	return s.route.responses != unknown && s.answered >= s.asked*int64(s.route.responses)
}

// bring writes the app's datagrams to the client, from the address that the client wrote to.
func (s *session) bring(batch *datagram.Batch) {
	if s.answered == 0 {
		s.forget()
	}
	s.last.Store(int64(time.Since(s.record.began)))
	messages := batch.Messages()
	for i := range messages {
		s.answered += int64(messages[i].Count())
		batch.Out.Add(messages[i].Data, s.key.peer, s.key.local, messages[i].Segment)
	}
	r := s.inlet.conn.Send(&batch.Out)
	s.returned.Add(r.Bytes)
	s.counts.out(r.Sent, r.Bytes)
	s.counts.drop("client", r.Busy+r.Refused+r.Failed)
}

// failed tells of a replica that refuses, unless a look has found it alive a moment ago: an app may have a route to a
// port where it does not listen, and its other traffic must not suffer.
func (s *session) failed(lease pool.Lease, err *failure) error {
	if errors.Is(err, net.ErrClosed) || relay.Short(err.err) {
		return err.err
	}
	f := s.socket.front
	f.metrics.failures.WithLabelValues(s.route.app.name, err.phase).Inc()
	if f.starts.mayReport(lease.Upstream) {
		s.begins()
		f.reporter.Failed(s.socket.open, lease, err)
	}
	return err
}

// finish writes down what came of the session. One that nobody served is only counted: made-up sources would fill the
// log.
func (s *session) finish(err error) {
	why := reason(err)
	s.counts.sessions.WithLabelValues(s.route.app.name, outcomeWord(why)).Inc()
	if s.record.replica == "" {
		return
	}
	s.socket.front.access.write(func() line {
		moved := carried{s.received.Load(), s.returned.Load()}
		return s.record.line(s.socket.key, s.key.peer.String(), s.route, moved, why)
	})
}
