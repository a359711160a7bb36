package l4

import (
	"fmt"
	"io"
	"maps"
	"net"
	"slices"

	"github.com/fairlead/fairlead/conf"
)

// socket is an open listener of either kind.
type socket interface {
	io.Closer
	address() net.Addr
	run() // until it is closed
}

// Change is a configuration that is ready to be put in force. Apply it or Cancel it before another is prepared.
type Change struct {
	front *Front
	table *table
	own   map[socketKey]bool // addresses that are the front's alone
	fresh map[socketKey]socket
	log   string // format of the access log
}

// Prepare opens the listeners that c has and the front has not. If one cannot be opened, none is, and nothing changes
// (case B178).
func (f *Front) Prepare(c *conf.Config) (*Change, error) {
	change := &Change{
		front: f, table: tableOf(c, f.table.Load()), log: c.Log.Access.Format,
		own: map[socketKey]bool{}, fresh: map[socketKey]socket{},
	}
	for key := range change.table.ports {
		if key.proto == "tcp" && slices.Contains(c.Listen.HTTPS, key.address) { // see Share
			continue
		}
		change.own[key] = true
		if f.listens(key) {
			continue
		}
		s, err := f.listen(key, conf.Supersedes(f.table.Load().config, c, key.proto, key.address))
		if err != nil {
			change.Cancel()
			return nil, fmt.Errorf("listen for %s on %s: %w", key.proto, key.address, err)
		}
		change.fresh[key] = s
	}
	return change, nil
}

// Cancel closes what Prepare had opened.
func (c *Change) Cancel() {
	for _, s := range c.fresh {
		_ = s.Close()
	}
}

// Apply puts the routes in force. Connections that are open go on as they began (P7), and those that a listener still has
// in its queue when it is closed begin as they were made: by the old routes.
func (c *Change) Apply() {
	f := c.front
	f.access.set(c.log)
	gone, fresh := f.replace(c)
	for _, s := range gone {
		_ = s.Close()
	}
	before := f.table.Swap(c.table)
	for name := range before.apps {
		if c.table.apps[name] == nil {
			f.metrics.forget(name)
		}
	}
	for _, s := range fresh {
		go s.run()
	}
}

// replace returns what is to be closed and what is to be run. A front that drains takes nothing new.
func (f *Front) replace(c *Change) (gone, fresh []socket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leaving {
		return slices.Collect(maps.Values(c.fresh)), nil
	}
	for key, s := range f.open {
		if !c.own[key] {
			delete(f.open, key)
			gone = append(gone, s)
		}
	}
	for key, s := range c.fresh {
		f.open[key] = s
		fresh = append(fresh, s)
	}
	return gone, fresh
}

func (f *Front) listens(key socketKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open[key] != nil
}

func (f *Front) listen(key socketKey, beside bool) (socket, error) {
	if key.proto == "udp" {
		return f.listenUDP(key, beside)
	}
	return f.listenTCP(key, beside)
}

// Addresses are those that the front listens on, for people.
func (f *Front) Addresses() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, s := range f.open {
		list = append(list, key.proto+" "+s.address().String())
	}
	slices.Sort(list)
	return list
}

func (f *Front) closeAll() {
	for _, s := range f.leave() {
		_ = s.Close()
	}
}

// leave returns what is open.
func (f *Front) leave() []socket {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Collect(maps.Values(f.open))
	clear(f.open)
	f.leaving = true
	return all
}
