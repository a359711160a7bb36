package l4

import (
	"container/list"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
)

// session is one client's traffic with one replica. Its datagrams come by an inlet, the answers by its ear; a goroutine of
// its own waits for the end.
type session struct {
	socket *udpSocket
	inlet  *inlet // its client's
	key    sessionKey
	source netip.Addr
	route  *route
	counts *udpCounts
	record record

	// of the front's sessions, guarded by their lock
	touched            time.Time
	returns            int  // how often the client has come back
	regular            bool // stays where newcomers leave
	inSocket, inSource *list.Element

	last     atomic.Int64 // nanoseconds since the session began, of the last datagram either way
	refused  atomic.Bool  // a send was told so
	received atomic.Int64 // bytes from the client
	returned atomic.Int64

	mu    sync.Mutex  // guards what follows
	app   *ear        // nil while datagrams must queue
	queue queue       // what waits, and what went out last but may have to go again
	over  error       // why the session must end, or has ended
	asked int64       // datagrams that this replica was sent, or is being sent
	wake  func(error) // ends whatever its goroutine waits for

	// of its own goroutine
	begun    bool
	answered int64
	lost     error
	until    time.Time
	avoided  *pool.Upstream
}

func newSession(from *inlet, key sessionKey, to *route, now time.Time) *session {
	socket := from.socket
	return &session{
		socket: socket, inlet: from, key: key, route: to, source: prefixOf(key.peer.IP()), touched: now,
		record: record{began: now}, queue: queue{all: &socket.front.held},
		counts: socket.front.metrics.udp(to.app.name),
	}
}

// take sends datagrams of the client on, or queues them while there is nobody to send them to. False if the session is
// over.
func (s *session) take(messages []datagram.Message, out *datagram.Out, now time.Time) bool {
	app, ok := s.claim(messages, now)
	if app == nil {
		return ok
	}
	for i := range messages {
		out.Add(messages[i].Data, datagram.Addr{}, datagram.Local{}, messages[i].Segment)
	}
	s.send(app, out)
	return true
}

// claim counts datagrams as asked before they are sent, so that the session does not end in between, or queues them.
func (s *session) claim(messages []datagram.Message, now time.Time) (app *ear, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over != nil {
		return nil, false
	}
	s.last.Store(int64(now.Sub(s.record.began)))
	for i := range messages {
		if s.app == nil {
			s.counts.drop("queue", s.queue.add(&messages[i]))
			continue
		}
		s.asked += int64(messages[i].Count())
	}
	return s.app, true
}

// send writes to the app and counts.
func (s *session) send(to *ear, out *datagram.Out) {
	r := to.app.Send(out)
	s.received.Add(r.Bytes)
	s.counts.in(r.Sent, r.Bytes)
	s.counts.drop("busy", r.Busy)
	s.counts.drop("refused", r.Refused)
	s.counts.drop("unreachable", r.Failed)
	if r.Refused > 0 { // the kernel tells it once, and reading would not hear of it
		s.refused.Store(true)
		to.poke()
	}
}

// begins tells that the session has begun, as far as others have to wait for that.
func (s *session) begins() {
	if !s.begun {
		s.begun = true
		s.socket.front.beginnings.over()
	}
}

// lastUse is when a datagram last went either way.
func (s *session) lastUse() time.Time { return s.record.began.Add(time.Duration(s.last.Load())) }

// end makes the session end, wherever it is.
func (s *session) end(why error) {
	s.mu.Lock()
	if s.over == nil {
		s.over = why
	}
	wake := s.wake
	s.mu.Unlock()
	if wake != nil {
		wake(why)
	}
}

// waits registers how to end what the goroutine is about to wait for. It returns the reason if the session is over.
func (s *session) waits(wake func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake = wake
	return s.over
}
