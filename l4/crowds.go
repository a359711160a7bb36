package l4

import (
	"net/netip"
	"sync"
)

// crowds count the UDP sessions of each source that are held for an app. A port costs a client nothing, so that one
// address with many could fill hold.queue alone, and nobody else, over HTTP and TCP too, would be let in to wait.
type crowds struct {
	mu sync.Mutex // guards of
	of map[wakeKey]int
}

// crowdShare is the part of hold.queue that one source's UDP sessions may fill.
const crowdShare = 4

// enter takes a place, if the source has fewer than most, where 0 is no limit; leave gives it back.
func (c *crowds) enter(app string, source netip.Addr, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := wakeKey{app, prefixOf(source)}
	if c.full(key, most) {
		return false
	}
	if c.of == nil {
		c.of = map[wakeKey]int{}
	}
	c.of[key]++
	return true
}

// room says whether enter would let one in.
func (c *crowds) room(app string, source netip.Addr, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.full(wakeKey{app, prefixOf(source)}, most)
}

func (c *crowds) full(key wakeKey, most int) bool { return most > 0 && c.of[key] >= most }

func (c *crowds) leave(app string, source netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := wakeKey{app, prefixOf(source)}
	if c.of[key]--; c.of[key] <= 0 {
		delete(c.of, key)
	}
}
