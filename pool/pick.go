package pool

// pick chooses the ready replica with the fewest visitors, and opens a session there for a visitor who wants one.
func (a *App) pick(snap *Snapshot, v Visitor) Lease {
	if snap.Closed {
		return Lease{}
	}
	opens := v.Open && snap.Policy.Sticky
	seat := opens || snap.Policy.Seats > 0
	for {
		best := a.choose(snap, v)
		if best == nil {
			return Lease{}
		}
		if seat && !best.takeSeat(snap.Policy.Seats) {
			continue // somebody was faster: look again
		}
		if opens {
			return a.open(best)
		}
		return a.hold(best, nil, seat)
	}
}

// open makes the seat that was taken a session's.
func (a *App) open(row *Row) Lease {
	s := newSession(NewSessionID(), row.Replica, row.Start())
	s.take()
	a.sessions.join(s.ID, func() *Session { return s })
	return a.hold(row, s, false)
}

func (a *App) hold(row *Row, session *Session, seat bool) Lease {
	row.leases.Add(1)
	return Lease{Replica: row.Replica, Upstream: row.upstream, Session: session, app: a, seat: seat}
}

func (a *App) choose(snap *Snapshot, v Visitor) *Row {
	if v.Source != 0 {
		return snap.preferred(v)
	}
	return a.best(snap, v.Avoid)
}

// preferred is the free row of the highest weight for a source (rendezvous hashing): a replica that comes or goes moves
// only its own visitors.
func (s *Snapshot) preferred(v Visitor) *Row {
	var best *Row
	var most uint64
	for i := range s.Rows {
		row := &s.Rows[i]
		if !row.free(s.Policy.Seats, v.Avoid) {
			continue
		}
		if weight := weight(v.Source, row.ID); best == nil || weight > most {
			best, most = row, weight
		}
	}
	return best
}

// weight mixes a source with a replica's id: FNV-1a, then the finalizer of MurmurHash3, without which near sources would
// all prefer the same replica.
func weight(source uint64, id string) uint64 {
	hash := source ^ 14695981039346656037
	for i := range len(id) {
		hash = (hash ^ uint64(id[i])) * 1099511628211
	}
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	return hash ^ hash>>33
}

// best is the row of the lowest rank. Equals take turns among themselves: were the turns taken over all rows, the one
// that follows a row out of routing would get its share, too (case B169).
func (a *App) best(snap *Snapshot, avoid *Upstream) *Row {
	var best *Row
	var least, equals int64
	for i := range snap.Rows {
		row := &snap.Rows[i]
		if !row.free(snap.Policy.Seats, avoid) {
			continue
		}
		switch rank := row.rank(); {
		case best == nil || rank < least:
			best, least, equals = row, rank, 1
		case rank == least:
			equals++
		}
	}
	if equals < 2 {
		return best
	}
	turn := int64(a.turn.Add(1)) % equals
	for i := range snap.Rows {
		row := &snap.Rows[i]
		if !row.free(snap.Policy.Seats, avoid) || row.rank() != least {
			continue
		}
		if turn == 0 {
			return row
		}
		turn--
	}
	return best // others picked meanwhile: any of the equals will do
}

// free says whether the row takes a new visitor, who would avoid that upstream.
func (r *Row) free(seats int, avoid *Upstream) bool {
	return r.Serves() && r.upstream != avoid && (seats == 0 || r.Seats() < seats)
}

// rank puts the row with the fewest visitors first, and rows of hosts in doubt after all others.
func (r *Row) rank() int64 {
	rank := r.leases.Load() + r.seats.Load()
	if r.Doubt {
		rank += 1 << 40
	}
	return rank
}
