package l4

import (
	"container/list"
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
	// quiet is how long a session must have been silent, both ways, to leave for another one: without it, a flood that is
	// fast enough would push out who speaks. It is no longer because a client that asks each question from another port
	// leaves its sessions behind, too.
	quiet = 2 * time.Second
	// quietOfSource is the same where all are of one source.
	quietOfSource = quiet / (mostOfSocket / mostOfSource)
)

// sessions are those of a front, bounded for each source, for each listener and in all; who was silent for longest goes
// first.
type sessions struct {
	most, mostOfSocket, mostOfSource int
	quiet, quietOfSource             time.Duration

	mu      sync.Mutex // guards what follows
	byKey   map[sessionKey]*session
	sources map[netip.Addr]*list.List // of sessions, the latest used first
	sockets map[*udpSocket]*list.List // likewise
}

const unlimited = 2 * mostSessions // descriptors

// newSessions leaves half of the process's descriptors, of which there are so many, to everybody else.
func newSessions(descriptors int) *sessions {
	return &sessions{
		most: min(mostSessions, max(1, descriptors/2)), mostOfSocket: mostOfSocket, mostOfSource: mostOfSource,
		quiet: quiet, quietOfSource: quietOfSource,
		byKey: map[sessionKey]*session{}, sources: map[netip.Addr]*list.List{}, sockets: map[*udpSocket]*list.List{},
	}
}

// find returns a client's session and notes that it is in use.
func (t *sessions) find(key sessionKey, now time.Time) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byKey[key]
	if s != nil && now.Sub(s.touched) >= touchEvery {
		s.touched = now
		t.sockets[s.socket].MoveToFront(s.inSocket)
		t.sources[s.source].MoveToFront(s.inSource)
	}
	return s
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
		evicted = idlest(of)
		t.drop(evicted)
	}
	t.byKey[s.key] = s
	s.inSocket, s.inSource = push(t.sockets, s.socket, s), push(t.sources, s.source, s)
	return s, evicted
}

// room says whether there is a place for a new session of a client, or one whose holder was silent for long enough.
func (t *sessions) room(key sessionKey, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	of, quiet := t.crowded(key.socket, prefixOf(key.peer.IP()))
	if of == nil {
		return true
	}
	s := idlest(of)
	return now.Sub(s.touched) >= quiet && now.Sub(s.lastUse()) >= quiet
}

// crowded returns the list in which somebody has to leave for a session, and how long he must have been silent. Nil if
// there is room. Where there are too many in all, the listener that has the most gives room: the others are not to suffer
// from what comes there.
func (t *sessions) crowded(socket *udpSocket, source netip.Addr) (of *list.List, quiet time.Duration) {
	switch {
	case lengthOf(t.sources[source]) >= t.mostOfSource:
		return t.sources[source], t.quietOfSource
	case lengthOf(t.sockets[socket]) >= t.mostOfSocket:
		return t.sockets[socket], t.quiet
	case len(t.byKey) < t.most:
		return nil, 0
	}
	for _, other := range t.sockets {
		if of == nil || other.Len() > of.Len() {
			of = other
		}
	}
	return of, t.quiet
}

func lengthOf(of *list.List) int {
	if of == nil {
		return 0
	}
	return of.Len()
}

func push[K comparable](lists map[K]*list.List, key K, s *session) *list.Element {
	of := lists[key]
	if of == nil {
		of = list.New()
		lists[key] = of
	}
	return of.PushFront(s)
}

func pull[K comparable](lists map[K]*list.List, key K, s *list.Element) {
	of := lists[key]
	of.Remove(s)
	if of.Len() == 0 {
		delete(lists, key)
	}
}

// patience is how many sessions are asked whether their app has spoken lately before the oldest by its client's word
// goes all the same.
const patience = 8

// idlest is who was silent for longest, both ways as far as patience goes. The caller holds mu.
func idlest(of *list.List) *session {
	for range patience {
		s := of.Back().Value.(*session)
		last := s.lastUse()
		if !last.After(s.touched.Add(touchEvery)) {
			break
		}
		s.touched = last
		of.MoveToFront(of.Back())
	}
	return of.Back().Value.(*session)
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
	pull(t.sockets, s.socket, s.inSocket)
	pull(t.sources, s.source, s.inSource)
}
