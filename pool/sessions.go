package pool

import (
	"maps"
	"sync"
	"sync/atomic"
)

const shards = 64

// sessions is a map from id to session whose readers take no lock: each shard is copied when it changes.
type sessions struct {
	shard [shards]shard
	count atomic.Int64 // of those that are not over
}

type shard struct {
	m  atomic.Pointer[map[SessionID]*Session]
	mu sync.Mutex // serialises writers
}

func (s *sessions) init() {
	for i := range s.shard {
		s.shard[i].m.Store(&map[SessionID]*Session{})
	}
}

func (s *sessions) of(id SessionID) *shard { return &s.shard[id[0]%shards] }

// get returns the live session of that id, or nil.
func (s *sessions) get(id SessionID) *Session {
	if session := (*s.of(id).m.Load())[id]; session != nil && !session.isOver() {
		return session
	}
	return nil
}

// join returns the live session of that id, or else keeps the one that open makes; nil if open makes none. Requests of
// one visitor that come at the same time get the same session, and so one seat.
func (s *sessions) join(id SessionID, open func() *Session) *Session {
	shard := s.of(id)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if session := (*shard.m.Load())[id]; session != nil && !session.isOver() {
		return session
	}
	session := open()
	if session == nil {
		return nil
	}
	s.count.Add(1)
	session.Replica.sessions.Add(1)
	next := maps.Clone(*shard.m.Load())
	next[id] = session
	shard.m.Store(&next)
	return session
}

// end ends and forgets one session. False if it was over.
func (s *sessions) end(session *Session) bool {
	if !session.end() {
		return false
	}
	s.count.Add(-1)
	s.of(session.ID).forget(session)
	return true
}

// drop asks each session whether it ends now, forgets those that do, and counts them.
func (s *sessions) drop(ends func(*Session) bool) (ended int) {
	for i := range s.shard {
		var gone []*Session
		for _, session := range *s.shard[i].m.Load() {
			if ends(session) {
				gone = append(gone, session)
			}
		}
		if len(gone) > 0 {
			s.count.Add(-int64(len(gone)))
			s.shard[i].forget(gone...)
			ended += len(gone)
		}
	}
	return ended
}

// forget takes sessions out of the map, unless another one has the id by now.
func (s *shard) forget(gone ...*Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := maps.Clone(*s.m.Load())
	for _, session := range gone {
		if next[session.ID] == session {
			delete(next, session.ID)
		}
	}
	s.m.Store(&next)
}
