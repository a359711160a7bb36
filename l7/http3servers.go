package l7

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/fairlead/fairlead/l7/h3"
)

// quicServers are those of all sockets.
type quicServers struct {
	ports atomic.Pointer[[]int] // of those that do not leave: every answer over TLS asks

	mu      sync.Mutex // guards the fields below, and writing ports
	all     map[*h3.Server]int
	leaving bool
}

// add knows a server, and the port that it is at, until the function that it returns is called.
func (q *quicServers) add(s *h3.Server, port int) (remove func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all == nil {
		q.all = map[*h3.Server]int{}
	}
	q.all[s] = port
	if q.leaving {
		s.Leave()
	}
	q.tell()
	return func() { q.remove(s) }
}

func (q *quicServers) remove(s *h3.Server) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.all, s)
	q.tell()
}

// tell with the mutex held.
func (q *quicServers) tell() {
	var ports []int
	if !q.leaving {
		ports = slices.Collect(maps.Values(q.all))
	}
	q.ports.Store(&ports)
}

// servedAt says whether HTTP/3 is really served on a port.
func (q *quicServers) servedAt(port int) bool {
	ports := q.ports.Load()
	return ports != nil && slices.Contains(*ports, port)
}

func (q *quicServers) leave() (all []*h3.Server) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leaving = true
	q.tell()
	return slices.Collect(maps.Keys(q.all))
}

func (q *quicServers) shutdown(ctx context.Context) error {
	var leave errgroup.Group
	for _, s := range q.leave() {
		leave.Go(func() error { return s.Shutdown(ctx) })
	}
	return leave.Wait()
}

func (q *quicServers) close() {
	for _, s := range q.leave() {
		s.Close()
	}
}
