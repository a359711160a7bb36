package pool

// Foresee is what a visitor without a session would be told now: Served, Wait, which may become anything, Full or Failed.
// It takes no lease and counts as no demand, for those who come so often that even turning them away must cost nothing.
func (a *App) Foresee() Outcome {
	snap := a.snap.Load()
	for i := range snap.Rows {
		if !snap.Closed && snap.Rows[i].free(snap.Policy.Seats, nil) {
			return Served
		}
	}
	outcome := a.refuse(snap, Visitor{}, false).Outcome
	if outcome == Wait && a.waiting.full(snap.Policy.HoldQueue) {
		return Full
	}
	return outcome
}
