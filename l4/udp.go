package l4

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
)

// udpSocket takes the datagrams of one address to the sessions of their clients.
type udpSocket struct {
	front  *Front
	key    socketKey
	inlets []*inlet
	stop   context.CancelCauseFunc
	open   context.Context // over when the socket is closed: sessions cannot answer without it
	line   []*session      // that have yet to begin; of the front's beginnings
}

func (f *Front) listenUDP(key socketKey, beside bool) (socket, error) {
	open := datagram.Listen
	if beside {
		open = datagram.ListenBeside
	}
	conn, err := open(context.Background(), key.address)
	if err != nil {
		return nil, err
	}
	s := &udpSocket{front: f, key: key}
	s.inlets = inletsOf(s, conn)
	s.open, s.stop = context.WithCancelCause(f.service)
	return s, nil
}

func (s *udpSocket) address() net.Addr { return s.inlets[0].conn.LocalAddr() }

func (s *udpSocket) Close() error {
	s.stop(errShuttingDown)
	var errs []error
	for _, i := range s.inlets {
		errs = append(errs, i.Close())
	}
	return errors.Join(errs...)
}

func (s *udpSocket) run() {
	for _, i := range s.inlets {
		i.run()
	}
}

// carry hands each run of one client's datagrams to its session.
func (s *udpSocket) carry(batch *datagram.Batch, from *inlet) {
	messages := batch.Messages()
	now := time.Now()
	for len(messages) > 0 {
		n := 1
		for n < len(messages) && messages[n].Peer == messages[0].Peer && messages[n].Local == messages[0].Local {
			n++
		}
		s.deliver(messages[:n], &batch.Out, from, now)
		messages = messages[n:]
	}
}

// deliver hands one client's datagrams to its session. One that ends at this moment takes none: another one begins.
func (s *udpSocket) deliver(messages []datagram.Message, out *datagram.Out, from *inlet, now time.Time) {
	key := sessionKey{s, messages[0].Peer, messages[0].Local}
	for {
		to, fresh := s.front.sessions.find(key, now), false
		if to == nil {
			to, fresh = s.begin(key, messages, from, now)
		}
		if to == nil {
			return
		}
		took := to.take(messages, out, now)
		if fresh {
			s.front.beginnings.start(to) // not before it has something to do
		}
		if took || fresh {
			return
		}
		s.front.sessions.remove(to)
	}
}

// countOf datagrams, of which the kernel has put some together.
func countOf(messages []datagram.Message) (n int) {
	for i := range messages {
		n += messages[i].Count()
	}
	return n
}

// begin makes a session, to be started if it is fresh: another inlet may have made one at the same time. Nil if the route
// is gone, the client may not start the app, too many come at once, or nobody is served any more.
func (s *udpSocket) begin(key sessionKey, messages []datagram.Message, from *inlet, now time.Time) (to *session, fresh bool) {
	port := s.front.table.Load().ports[s.key]
	if port == nil {
		return nil, false
	}
	route := port.plain
	app := s.front.pool.App(route.app.name)
	if app == nil || !ready(app) && !s.front.mayWakeBy(messages, route.app, now) {
		s.turnAway(messages, route, "filtered")
		return nil, false
	}
	if why := s.hopeless(app, key, route, now); why != "" {
		s.turnAway(messages, route, why)
		return nil, false
	}
	if !s.front.stories.Begin() {
		return nil, false
	}
	made := newSession(from, key, route, now)
	to, evicted := s.front.sessions.add(made)
	if evicted != nil {
		evicted.end(errEvicted)
	}
	if to != made {
		s.front.stories.End()
	}
	return to, to == made
}

// hopeless is why a session would end before it served anybody, empty if it need not. In a flood that is known of most of
// them before they cost anything.
func (s *udpSocket) hopeless(app *pool.App, key sessionKey, to *route, now time.Time) string {
	outcome := app.Foresee()
	switch {
	case outcome == pool.Wait && !s.front.crowds.room(to.app.name, key.peer.IP(), to.app.crowd):
		return pool.Full.String()
	case outcome == pool.Full, outcome == pool.Failed:
		return outcome.String()
	case !s.front.beginnings.room(s), !s.front.sessions.room(key, now):
		return "crowded"
	}
	return ""
}

func (s *udpSocket) turnAway(messages []datagram.Message, from *route, why string) {
	s.front.metrics.drops.WithLabelValues(from.app.name, why).Add(float64(countOf(messages)))
}
