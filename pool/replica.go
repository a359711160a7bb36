package pool

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Replica is the identity of one row for as long as the row stands. Its counters are shared by all snapshots.
type Replica struct {
	ID string

	leases   atomic.Int64
	seats    atomic.Int64  // taken by sessions and by leases without a session
	sessions atomic.Int64  // live ones
	lastUse  atomic.Int64  // nanoseconds since epoch
	leaving  atomic.Bool   // draining: the end of the last lease is news
	looked   atomic.Uint64 // the newest look that was applied, by the order of asking
	trouble  atomic.Pointer[string]
	gone     chan struct{}
}

func newReplica(id string) *Replica {
	r := &Replica{ID: id, gone: make(chan struct{})}
	r.used()
	return r
}

// Gone is closed when the row is removed. Whatever hangs on the replica ends with it.
func (r *Replica) Gone() <-chan struct{} { return r.gone }

// Leases counts the requests and connections that hold the replica now.
func (r *Replica) Leases() int { return int(r.leases.Load()) }

// Seats counts the places taken.
func (r *Replica) Seats() int { return int(r.seats.Load()) }

// InUse says whether a lease or a live session holds the replica.
func (r *Replica) InUse() bool { return r.leases.Load() > 0 || r.seats.Load() > 0 }

// IdleFor tells how long nobody has used the replica; 0 while it is in use.
func (r *Replica) IdleFor(now time.Time) time.Duration {
	if r.InUse() {
		return 0
	}
	return max(0, now.Sub(epoch)-time.Duration(r.lastUse.Load()))
}

func (r *Replica) used() { r.lastUse.Store(int64(time.Since(epoch))) }

// takeSeat takes one place if one is free; limit 0 means that there is always one.
func (r *Replica) takeSeat(limit int) bool {
	for {
		taken := r.seats.Load()
		if limit > 0 && taken >= int64(limit) {
			return false
		}
		if r.seats.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// FirstOf says whether a look that was asked for in this order is newer than all that were applied to the replica, and
// remembers it. An older one is stale, even if the newer changed nothing.
func (r *Replica) FirstOf(asked uint64) bool {
	for {
		last := r.looked.Load()
		if asked <= last {
			return false
		}
		if r.looked.CompareAndSwap(last, asked) {
			return true
		}
	}
}

// epoch makes monotonic instants fit into an atomic integer.
var epoch = time.Now()

// Upstream is (container, start, address): what a connection may be dialled to, and for how long it may live (P5).
type Upstream struct {
	Container string
	Start     string
	Endpoints map[int]Endpoint // by port in the container, those of UDP under UDP(port); never changed in place
	// Main is the app's main port when the upstream was found. A reload may name another one: the container goes on
	// listening where it did.
	Main  int
	ended chan struct{}
	once  sync.Once
}

// UDP is the key of a UDP port among an upstream's endpoints and a policy's ports; a TCP port's is its number.
func UDP(port int) int { return udpPorts | port }

// OfUDP splits a key: the port's number, and whether it is one of UDP.
func OfUDP(key int) (port int, udp bool) { return key &^ udpPorts, key&udpPorts != 0 }

const udpPorts = 1 << 16 // above every port number

// Endpoint is where one port answers. Direct means the container's own address, where a connect proves that the app
// listens; behind a published port it proves nothing.
type Endpoint struct {
	Addr   netip.AddrPort
	Direct bool
}

// NewUpstream describes one start of a container.
func NewUpstream(container, start string, endpoints map[int]Endpoint) *Upstream {
	return &Upstream{Container: container, Start: start, Endpoints: endpoints, ended: make(chan struct{})}
}

// Ended is closed when the start is over or its address changed: every connection to it must be closed, busy ones too.
func (u *Upstream) Ended() <-chan struct{} { return u.ended }

func (u *Upstream) end() { u.once.Do(func() { close(u.ended) }) }

// Alive says whether the upstream has not ended.
func (u *Upstream) Alive() bool {
	select {
	case <-u.ended:
		return false
	default:
		return true
	}
}
