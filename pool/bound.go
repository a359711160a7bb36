package pool

// bound finds the replica that a visitor's session or cookie names. It returns true without a lease if the visitor
// belongs there, but the replica does not serve just now: the session is kept, and he waits.
func (a *App) bound(snap *Snapshot, session *Session, v Visitor) (Lease, bool) {
	switch {
	case v.Session == (SessionID{}):
		return Lease{}, false
	case session == nil:
		return a.rebind(snap, v)
	default:
		return a.resume(snap, session)
	}
}

// resume leases the replica of a session.
func (a *App) resume(snap *Snapshot, session *Session) (Lease, bool) {
	row := snap.row(session.Replica.ID)
	if row == nil || row.Replica != session.Replica || row.Start() != session.Start {
		return Lease{}, false
	}
	if !row.keeps() {
		return Lease{}, true
	}
	if !session.take() {
		return Lease{}, false
	}
	return a.hold(row, session, false), true
}

// rebind gives a visitor whose session this process does not know his seat again, if the same start still runs: Fairlead
// was restarted, the container was not.
func (a *App) rebind(snap *Snapshot, v Visitor) (Lease, bool) {
	row := snap.row(v.Replica)
	switch {
	case row == nil || v.Start == "" || snap.Closed:
		return Lease{}, false
	case row.state == Starting && !row.proven:
		return Lease{}, true // being adopted: whether its start is the cookie's is known when it is ready
	case row.Start() != v.Start || row.state != Ready:
		return Lease{}, false
	case row.suspect != "":
		return Lease{}, true
	}
	session := a.sessions.join(v.Session, func() *Session {
		if !row.takeSeat(snap.Policy.Seats) {
			return nil
		}
		return newSession(v.Session, row.Replica, v.Start)
	})
	if session == nil {
		return Lease{}, false
	}
	return a.resume(snap, session)
}

// lives says whether the start that a session is bound to still is the row's.
func (s *Snapshot) lives(session *Session) bool {
	row := s.row(session.Replica.ID)
	return row != nil && row.Replica == session.Replica && row.Start() == session.Start
}
