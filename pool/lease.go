package pool

// Lease is a request's or a connection's hold on a replica. It is a value; Release it exactly once.
type Lease struct {
	Replica  *Replica
	Upstream *Upstream
	Session  *Session // nil without one
	app      *App
	seat     bool // the lease itself took a seat, having no session
	passing  bool // it keeps the replica awake for as long as it lasts, and no longer
}

// Valid says whether the lease holds anything.
func (l Lease) Valid() bool { return l.Replica != nil }

// App that the replica belongs to.
func (l Lease) App() *App { return l.app }

// Endpoint of one of the app's ports, zero if the app does not have it.
func (l Lease) Endpoint(port int) Endpoint { return l.Upstream.Endpoints[port] }

// Main is the endpoint of the port that was the app's main one when the upstream was found.
func (l Lease) Main() Endpoint { return l.Upstream.Endpoints[l.Upstream.Main] }

// Release gives the replica back.
func (l Lease) Release() {
	if l.Session != nil {
		l.Session.give()
	}
	if l.seat {
		l.Replica.seats.Add(-1)
	}
	if !l.passing {
		l.Replica.used()
	}
	if l.Replica.leases.Add(-1) == 0 && l.Replica.leaving.Load() {
		l.app.Nudge()
	}
	if l.seat && l.app.waiting.any() {
		l.app.waiting.broadcast()
	}
}
