package h1

import (
	"net"
	"sync"
)

// watcher notices when the other side ends a connection that nobody reads from. It looks at no byte and takes no part in
// an exchange: a connection costs one registration, and nothing when it is taken or kept.
type watcher struct {
	mu     sync.Mutex // guards the fields below, and the tokens of the connections
	poller *poller    // made with the first connection; nil where there is none
	conns  map[uint64]watched
	last   uint64 // token given
	closed bool
}

// watched is a connection whose end somebody wants to know.
type watched interface {
	watchedConn() (net.Conn, *uint64) // and where the watcher's name for it is kept; 0 if it is not watched
	unwatchable() bool                // nobody wants to know any more
	left()                            // the other side has ended it
}

// add begins to watch a connection. One that cannot be watched is noticed when it is taken.
func (w *watcher) add(c watched) {
	conn, token := c.watchedConn()
	if p, name := w.note(c, conn, token); p != nil && p.add(conn, name) != nil {
		w.remove(token)
	}
}

// note gives the connection a token. Nil if it is not to be watched.
func (w *watcher) note(c watched, conn net.Conn, token *uint64) (*poller, uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || c.unwatchable() || !watchable(conn) {
		return nil, 0
	}
	if w.conns == nil {
		w.conns = make(map[uint64]watched)
		if w.poller = newPoller(); w.poller != nil {
			go w.run(w.poller)
		}
	}
	if w.poller == nil {
		return nil, 0
	}
	w.last++
	*token = w.last
	w.conns[w.last] = c
	return w.poller, w.last
}

func (w *watcher) remove(token *uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, *token)
}

func (w *watcher) find(token uint64) watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.conns[token]
}

// run hears of ends until the client is closed.
func (w *watcher) run(p *poller) {
	for {
		tokens, err := p.wait()
		if err != nil {
			return
		}
		for _, token := range tokens {
			if c := w.find(token); c != nil {
				c.left()
			}
		}
	}
}

func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.poller != nil {
		w.poller.close()
	}
}
