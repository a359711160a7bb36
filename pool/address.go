package pool

// Taken says whether another replica serves at an address of the row's.
func (p *Pool) Taken(row Row) bool {
	for _, app := range p.Apps() {
		for _, other := range app.Snapshot().Rows {
			if other.Replica != row.Replica && other.Serves() && other.upstream.meets(row.upstream) {
				return true
			}
		}
	}
	return false
}

// claim speaks against the rows that had an address of an upstream that was just found to be there. Two containers never
// have the same address: the earlier one has ended or moved, and nobody has noticed yet (P5).
func (p *Pool) claim(by Row) {
	for _, app := range p.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Replica == by.Replica || !row.upstream.meets(by.upstream) {
				continue
			}
			app.Settle(row.ID, 0, func(r *Row) bool { return r.upstream == row.upstream && r.displaced() })
		}
	}
}

// displaced takes a row out of the pick because its address is another's; what became of it is for a look to say.
func (r *Row) displaced() bool {
	switch {
	case r.state == Draining:
		r.Died()
	case r.state == Ready && r.suspect == "":
		r.Suspected("address taken")
	default:
		return false
	}
	return true
}

// meets says whether two upstreams have an address in common.
func (u *Upstream) meets(other *Upstream) bool {
	if u == nil || other == nil || u.Container == "" || other.Container == "" {
		return false // two apps may well be at one fixed address
	}
	for _, one := range u.Endpoints {
		for _, another := range other.Endpoints {
			if one.Addr == another.Addr {
				return true
			}
		}
	}
	return false
}
