package scaler

import (
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// replace brings one flagged row at a time towards its replacement, in the order that the policy asks for.
func replace(v View, now time.Time) []Action {
	old, flagged := v.flagged()
	if !flagged {
		return v.settleSurge()
	}
	if f := v.Snap.Failure; f != nil && now.Before(f.Until) {
		return nil
	}
	if v.keeps(old) {
		return stopFirst(v, old, pool.SleepStop, now)
	}
	if v.Snap.Policy.Order == pool.StopFirst {
		return stopFirst(v, old, pool.SleepRemove, now)
	}
	return startFirst(v, old)
}

// flagged finds a live row that is to be replaced.
func (v View) flagged() (pool.Row, bool) {
	for _, row := range v.Snap.Rows {
		if row.Replace && row.State() == pool.Ready && !row.Acting && !row.Doubt {
			return row, true
		}
	}
	return pool.Row{}, false
}

// settleSurge makes a replacement an ordinary row when what it was to replace is gone by itself.
func (v View) settleSurge() []Action {
	for _, row := range v.Snap.Rows {
		if row.Surge && row.Serves() {
			return []Action{{Verb: Swap, New: row.ID}}
		}
	}
	return nil
}

// startFirst starts one replacement above max, and swaps when it is ready.
func startFirst(v View, old pool.Row) []Action {
	for _, row := range v.Snap.Rows {
		if !row.Surge {
			continue
		}
		if row.Serves() {
			return []Action{{Verb: Swap, Replica: old.ID, Version: old.Version, New: row.ID, Then: pool.SleepRemove,
				Cause: journal.CauseReplaced}}
		}
		return nil // the replacement is on its way
	}
	if host := v.place(nil); host != "" {
		return []Action{{Verb: Spawn, Host: host, Surge: true, Cause: journal.CauseReplaced}}
	}
	return nil
}

// keeps says whether a restart can keep the container: a new one would be made from the same spec, and without the data
// that only this one has.
func (v View) keeps(old pool.Row) bool {
	p := v.Snap.Policy
	return old.Precious() && old.Spec == p.Spec && p.SleepOf(old) != pool.SleepRemove
}

// stopFirst drains one row at a time; min and demand bring its successor, or wake it again.
func stopFirst(v View, old pool.Row, then pool.SleepMode, now time.Time) []Action {
	if c := v.count(now); c.draining > 0 || c.starting > 0 {
		return nil
	}
	return []Action{drain(old, then, journal.CauseReplaced)}
}
