package pool

// Trouble is what keeps visitors from a replica that is there all the same, for operators to read; empty: nothing does. It
// speaks against nothing: the row is picked as before.
func (r *Replica) Trouble() string {
	if what := r.trouble.Load(); what != nil {
		return *what
	}
	return ""
}

// SetTrouble says whether it is news.
func (r *Replica) SetTrouble(what string) (news bool) {
	was := r.trouble.Swap(&what)
	return was == nil || *was != what
}

// Untroubled is told of each answer, and costs a look while there is no trouble.
func (r *Replica) Untroubled() {
	if r.trouble.Load() != nil {
		r.trouble.Store(nil)
	}
}
