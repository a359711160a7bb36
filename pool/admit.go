package pool

import "time"

// Visitor is who asks for admission.
type Visitor struct {
	Session SessionID // from a verified cookie; zero without one
	Replica string    // that the cookie names
	Start   string    // that the cookie names
	Open    bool      // open a session if there is none: a navigation of a sticky app
	Avoid   *Upstream // do not pick that one again; a session is served there all the same
	Source  uint64    // of a visitor who has no cookie: the same number gets the same replica while that one serves; 0: none
	Ticket  Ticket    // from an earlier wait of the same visitor; zero without one
	Passing bool      // his visit does not begin the replica's idle time anew
}

// Outcome of asking for admission.
type Outcome int

const (
	// Served: the lease is held.
	Served Outcome = iota
	// Wait: a replica may become ready.
	Wait
	// Full: all seats are taken and max is reached, or the queue is full.
	Full
	// Failed: the app cannot start now; Failure says why.
	Failed
)

func (o Outcome) String() string { return [...]string{"served", "starting", "full", "failed"}[o] }

// Admission is the answer.
type Admission struct {
	Outcome Outcome
	Lease   Lease
	Failure *Failure // of Failed
	// Ticket of a visitor who still waits: handed in again, it keeps one place instead of taking another.
	Ticket Ticket
}

// Admit is the one place where it is decided who is served, waits, or is turned away. It does not block, takes no lock
// and allocates nothing unless it opens a session.
func (a *App) Admit(v Visitor) Admission {
	for {
		session := a.sessions.get(v.Session) // before the snapshot, which so is never older than the session
		snap := a.snap.Load()
		lease, bound := a.bound(snap, session, v)
		if !lease.Valid() && !bound {
			lease = a.pick(snap, v)
		}
		if !lease.Valid() {
			return a.refuse(snap, v, bound)
		}
		lease.passing = v.Passing
		if a.stillServes(snap, lease) {
			return Admission{Outcome: Served, Lease: lease}
		}
		a.undo(lease, !bound) // the row began to drain or died between the load and the lease
	}
}

// stillServes repeats the check after the lease is counted and its session is known: whoever drains the row or ends its
// start changes the state first and looks for leases and sessions after, so one of the two sees the other.
func (a *App) stillServes(seen *Snapshot, l Lease) bool {
	now := a.snap.Load()
	if now == seen {
		return true
	}
	row, ok := now.Row(l.Replica.ID)
	if !ok || row.upstream != l.Upstream {
		return false
	}
	return row.Serves() || l.Session != nil && row.keeps()
}

// undo takes a lease back, and its session if nobody knows that one yet or if it came too late to end with its start.
func (a *App) undo(l Lease, fresh bool) {
	if l.Session != nil && (fresh || !a.Snapshot().lives(l.Session)) {
		a.sessions.end(l.Session)
	}
	l.Release()
}

func (a *App) refuse(snap *Snapshot, v Visitor, bound bool) Admission {
	switch {
	case snap.Closed && !bound:
		return Admission{Outcome: Failed, Failure: &Failure{Reason: "removed"}}
	case bound:
		return Admission{Outcome: Wait}
	case snap.failed(time.Now()):
		return Admission{Outcome: Failed, Failure: snap.Failure}
	case snap.coming(v.Avoid):
		return Admission{Outcome: Wait}
	default:
		return Admission{Outcome: Full}
	}
}
