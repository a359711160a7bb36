package l7

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// quicServers are those of all sockets.
type quicServers struct {
	ports atomic.Pointer[[]int] // of those that do not leave: every answer over TLS asks

	mu      sync.Mutex // guards the fields below, and writing ports
	all     map[*quicServer]struct{}
	leaving bool
}

// add knows a server until the function that it returns is called.
func (q *quicServers) add(s *quicServer) (remove func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all == nil {
		q.all = map[*quicServer]struct{}{}
	}
	q.all[s] = struct{}{}
	if q.leaving {
		s.begin()
	}
	q.tell()
	return func() { q.remove(s) }
}

func (q *quicServers) remove(s *quicServer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.all, s)
	q.tell()
}

// tell with the mutex held.
func (q *quicServers) tell() {
	var ports []int
	for s := range q.all {
		if !q.leaving {
			ports = append(ports, s.port)
		}
	}
	q.ports.Store(&ports)
}

// servedAt says whether HTTP/3 is really served on a port.
func (q *quicServers) servedAt(port int) bool {
	ports := q.ports.Load()
	return ports != nil && slices.Contains(*ports, port)
}

func (q *quicServers) leave() (all []*quicServer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leaving = true
	q.tell()
	return slices.Collect(maps.Keys(q.all))
}

func (q *quicServers) shutdown(ctx context.Context) error {
	var errs []error
	all := q.leave()
	for _, s := range all {
		s.begin()
	}
	for _, s := range all {
		errs = append(errs, s.shutdown(ctx))
	}
	return errors.Join(errs...)
}

func (q *quicServers) close() {
	for _, s := range q.leave() {
		s.close()
	}
}
