package l4

import (
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
)

// sessionKey is a client, and the listener and the address of ours that it speaks to.
type sessionKey struct {
	socket *udpSocket
	peer   datagram.Addr
	local  datagram.Local
}

const (
	// mostSessions of all listeners together: each is a socket and a goroutine. Source addresses cost an attacker nothing
	// (case B148).
	mostSessions = 32768
	// mostOfSocket of one listener, so that what comes to one app does not push out the clients of another.
	mostOfSocket = 8192
	// mostOfSource of one client's address at all listeners, so that one does not push all others out.
	mostOfSource = 1024
	// touchEvery is how exact the order of use is: no flood replaces all sessions so fast, and who speaks more often stays.
	touchEvery = 50 * time.Millisecond
	// quiet is how long a session must have been silent, both ways, to leave for another one. It bounds how many a flood
	// replaces in a second.
	quiet = 2 * time.Second
	// quietOfSource is the same for newcomers where all are of one source, which may ask each question from another port,
	// thousands of times in a second. One who still waits for his beginning, or his answer, had better have it.
	quietOfSource = 20 * time.Millisecond
	// regularAfter is how often a client must have come back. A port may have been another client's who came once.
	regularAfter = 2
)

// sessions are those of a front, bounded for each source, for each listener and in all; who was silent for longest goes
// first, and newcomers before regulars.
type sessions struct {
	most, mostOfSocket, mostOfSource int
	quiet, quietOfSource             time.Duration

	mu      sync.Mutex // guards what follows
	byKey   map[sessionKey]*session
	sources map[netip.Addr]*order
	sockets map[*udpSocket]*order
}

const unlimited = 2 * mostSessions // descriptors

// newSessions leaves half of the process's descriptors, of which there are so many, to everybody else.
func newSessions(descriptors int) *sessions {
	return &sessions{
		most: min(mostSessions, max(1, descriptors/2)), mostOfSocket: mostOfSocket, mostOfSource: mostOfSource,
		quiet: quiet, quietOfSource: quietOfSource,
		byKey: map[sessionKey]*session{}, sources: map[netip.Addr]*order{}, sockets: map[*udpSocket]*order{},
	}
}

// find returns a client's session and notes that it is in use.
func (t *sessions) find(key sessionKey, now time.Time) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byKey[key]
	if s != nil && now.Sub(s.touched) >= touchEvery {
		s.returns++
		t.use(s, now, s.returns >= regularAfter)
	}
	return s
}

// use notes that a session is in use again. The caller holds mu.
func (t *sessions) use(s *session, now time.Time, regular bool) {
	s.touched = now
	ofSocket, ofSource := t.sockets[s.socket], t.sources[s.source]
	if !regular || s.regular {
		ofSocket.of(s).MoveToFront(s.inSocket)
		ofSource.of(s).MoveToFront(s.inSource)
		return
	}
	ofSocket.remove(s, s.inSocket)
	ofSource.remove(s, s.inSource)
	s.regular = true
	s.inSocket, s.inSource = ofSocket.push(s), ofSource.push(s)
}

// add brings a session in, and returns the one that had to leave for it; it is out, but has not ended. If the client has a
// session already, because another inlet has heard of it at the same time, that one is returned instead.
func (t *sessions) add(s *session) (known, evicted *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.byKey[s.key]; known != nil {
		return known, nil
	}
	if of, _ := t.crowded(s.socket, s.source); of != nil {
		evicted = t.idlest(of, s.touched)
		t.drop(evicted)
	}
	t.byKey[s.key] = s
	s.inSocket, s.inSource = push(t.sockets, s.socket, s), push(t.sources, s.source, s)
	return s, evicted
}

// room says whether there is a place for a new session of a client, or one whose holder may leave for it.
func (t *sessions) room(key sessionKey, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	of, enough := t.crowded(key.socket, prefixOf(key.peer.IP()))
	if of == nil {
		return true
	}
	s := t.idlest(of, now)
	if s.regular {
		enough = t.quiet
	}
	return now.Sub(s.touched) >= enough && now.Sub(s.lastUse())+touchEvery >= enough
}

// crowded returns those of whom somebody has to leave for a session, and how long a newcomer among them must have been
// silent. Nil if there is room. Where there are too many in all, the listener that has the most gives room: the others are
// not to suffer from what comes there.
func (t *sessions) crowded(socket *udpSocket, source netip.Addr) (of *order, newcomer time.Duration) {
	switch {
	case t.sources[source].len() >= t.mostOfSource:
		return t.sources[source], t.quietOfSource
	case t.sockets[socket].len() >= t.mostOfSocket:
		return t.sockets[socket], t.quiet
	case len(t.byKey) < t.most:
		return nil, 0
	}
	for _, other := range t.sockets {
		if of.len() < other.len() {
			of = other
		}
	}
	return of, t.quiet
}

// patience is how many sessions are asked whether their app has spoken lately before the oldest by its client's word
// goes all the same.
const patience = 8

// idlest is who has to leave first, silent both ways as far as patience goes. The caller holds mu.
func (t *sessions) idlest(of *order, now time.Time) *session {
	for range patience {
		s := of.last(now, t.quiet)
		last := s.lastUse()
		if !last.After(s.touched.Add(touchEvery)) {
			break
		}
		t.use(s, last, last.Sub(s.record.began) >= t.quiet) // an answer alone goes to made-up addresses, too
	}
	return of.last(now, t.quiet)
}

// remove takes a session out, if it is the one that stands there.
func (t *sessions) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey[s.key] == s {
		t.drop(s)
	}
}

func (t *sessions) drop(s *session) {
	delete(t.byKey, s.key)
	pull(t.sockets, s.socket, s, s.inSocket)
	pull(t.sources, s.source, s, s.inSource)
}
