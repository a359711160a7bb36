package simulated

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// Manner is whose habits a world has.
type Manner int

const (
	// LikeDocker gives each start new published ports, and a restarted container its address back if it is free.
	LikeDocker Manner = iota
	// LikePodman keeps published ports, and gives each start another address.
	LikePodman
)

// Options shape a world. The zero value is a rootful engine that behaves like Docker.
type Options struct {
	Seed        int    // ids, addresses, ports and identity follow from it: worlds that meet in one test need different ones
	Identity    string // empty: from Seed
	Manner      Manner
	Rootless    bool // containers have no address of their own, only published ports
	CannotPause bool
	Addresses   int      // size of the address pool; 0 means 250
	ReuseNewest bool     // the address freed last is given away first
	Networks    []string // that exist besides bridge
	// OnStart puts something real behind a container that starts, and returns where it listens (all published ports
	// then lead there) and how to end it. It is called without a lock; stop is called once, when the run ends.
	OnStart func(c runtime.Container) (addr netip.AddrPort, stop func())
}

// World is the truth behind an engine: what exists and what runs. Safe for concurrent use.
type World struct {
	options Options

	mu         sync.Mutex // guards the fields below
	identity   string
	down       bool
	images     map[string]*Image
	containers map[string]*container
	order      []string
	gone       map[string]*container
	pool       addresses
	nextPort   uint16
	serial     int
	volumes    map[string]bool // by name; true: made up by the engine
	peak       map[string]int
	events     []runtime.Event
	changed    chan struct{} // closed and replaced at each change
}

// NewWorld makes an empty world.
func NewWorld(options Options) *World {
	if options.Addresses <= 0 {
		options.Addresses = 250
	}
	if options.Identity == "" {
		options.Identity = fmt.Sprintf("simulated-%d", options.Seed)
	}
	return &World{
		options:    options,
		identity:   options.Identity,
		images:     map[string]*Image{},
		containers: map[string]*container{},
		gone:       map[string]*container{},
		pool:       newAddresses(options.Seed, options.Addresses, options.ReuseNewest),
		nextPort:   uint16(40000 + options.Seed%20*1000),
		volumes:    map[string]bool{},
		peak:       map[string]int{},
		changed:    make(chan struct{}),
	}
}

// find needs the lock. It takes an id or an exact name.
func (w *World) find(idOrName string) (*container, error) {
	if c, ok := w.containers[idOrName]; ok {
		return c, nil
	}
	for _, c := range w.containers {
		if c.Name == idOrName {
			return c, nil
		}
	}
	return nil, notFound("container", idOrName)
}

// list returns all containers in the order of their creation. It needs the lock.
func (w *World) list() []*container {
	all := make([]*container, 0, len(w.order))
	for _, id := range w.order {
		all = append(all, w.containers[id])
	}
	return all
}

func (w *World) forget(c *container) {
	delete(w.containers, c.ID)
	w.order = slices.DeleteFunc(w.order, func(id string) bool { return id == c.ID })
	c.parted = true
	w.gone[c.ID] = c
}

// newID needs the lock. The same seed gives the same ids in the same order.
func (w *World) newID() string {
	w.serial++
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", w.options.Seed, w.serial))
	return hex.EncodeToString(sum[:])
}

// stamp needs the lock. A bubble's clock may stand still between two starts, so the time alone does not tell them
// apart.
func (w *World) stamp() string {
	w.serial++
	return fmt.Sprintf("%s#%d", time.Now().UTC().Format(time.RFC3339Nano), w.serial)
}

// emit needs the lock.
func (w *World) emit(c *container, actions ...runtime.Action) {
	for _, action := range actions {
		w.events = append(w.events, runtime.Event{
			Container: c.ID, Name: c.Name, Labels: c.snapshot().Labels, Action: action, Time: time.Now(),
		})
	}
	w.notify()
}

// notify needs the lock.
func (w *World) notify() {
	close(w.changed)
	w.changed = make(chan struct{})
}

func notFound(what, name string) error {
	return fmt.Errorf("no such %s: %s: %w", what, name, runtime.ErrNotFound)
}

// after runs f when d has passed; at once, in the caller, if there is nothing to wait for.
func after(d time.Duration, f func()) {
	if d <= 0 {
		f()
		return
	}
	time.AfterFunc(d, f)
}
