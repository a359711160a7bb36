package l4

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l4/datagram"
)

// sessionKey is a client, and the address of ours that it speaks to.
type sessionKey struct {
	peer  datagram.Addr
	local datagram.Local
}

const (
	// mostSessions of one listener: each is a socket and a goroutine. Source addresses cost an attacker nothing (case B148).
	mostSessions = 8192
	// mostOfSource of one client's address, so that one does not push all others out.
	mostOfSource = 1024
	// touchEvery is how exact the order of use is.
	touchEvery = time.Second
)

// sessions are those of one listener, bounded for each source and in all; who was silent for longest goes first.
type sessions struct {
	most, mostOfSource int

	mu      sync.Mutex // guards what follows
	byKey   map[sessionKey]*session
	sources map[netip.Addr]*list.List // of sessions, the latest used first
	order   *list.List                // of all, likewise
}

func newSessions(most, ofSource int) *sessions {
	return &sessions{
		most: most, mostOfSource: ofSource,
		byKey: map[sessionKey]*session{}, sources: map[netip.Addr]*list.List{}, order: list.New(),
	}
}

// find returns a client's session and notes that it is in use.
func (t *sessions) find(key sessionKey, now time.Time) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byKey[key]
	if s != nil && now.Sub(s.touched) >= touchEvery {
		s.touched = now
		t.order.MoveToFront(s.inOrder)
		t.sources[s.source].MoveToFront(s.inSource)
	}
	return s
}

// add brings a session in and returns those that had to leave for it; they are out, but have not ended.
func (t *sessions) add(s *session) (evicted []*session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.sources[s.source]
	if of == nil {
		of = list.New()
		t.sources[s.source] = of
	}
	if of.Len() >= t.mostOfSource {
		evicted = append(evicted, t.oldest(of))
	} else if t.order.Len() >= t.most {
		evicted = append(evicted, t.oldest(t.order))
	}
	t.sources[s.source] = of // eviction may have dropped an empty one
	t.byKey[s.key] = s
	s.inOrder, s.inSource = t.order.PushFront(s), of.PushFront(s)
	return evicted
}

// patience is how many sessions are asked whether their app has spoken lately before the oldest by its client's word
// goes all the same.
const patience = 8

// oldest takes out who was silent for longest, both ways as far as patience goes. The caller holds mu.
func (t *sessions) oldest(of *list.List) *session {
	for range patience {
		s := of.Back().Value.(*session)
		last := s.lastUse()
		if !last.After(s.touched.Add(touchEvery)) {
			break
		}
		s.touched = last
		of.MoveToFront(of.Back())
	}
	s := of.Back().Value.(*session)
	t.drop(s)
	return s
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
	t.order.Remove(s.inOrder)
	of := t.sources[s.source]
	of.Remove(s.inSource)
	if of.Len() == 0 {
		delete(t.sources, s.source)
	}
}
