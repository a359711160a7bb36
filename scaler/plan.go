package scaler

import (
	"cmp"
	"slices"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// Verb is what an action does.
type Verb int

const (
	// Spawn reserves a row and starts a new container in it.
	Spawn Verb = iota
	// Wake starts the container of a sleeping row.
	Wake
	// Drain lets nobody new into a row.
	Drain
	// Finish ends a drained row: stop, then remove or sleep.
	Finish
	// Swap lets a replacement that became ready take over: it no longer is a surge, and the old row drains.
	Swap
)

func (v Verb) String() string { return [...]string{"spawn", "wake", "drain", "finish", "swap"}[v] }

// Action is one step of a plan.
type Action struct {
	Verb    Verb
	Replica string // of Wake, Drain, Finish; the old one of Swap
	Version uint64 // that the row had
	Host    string // of Spawn
	Surge   bool   // of Spawn: above max, as a replacement
	New     string // of Swap: the replacement
	Then    pool.SleepMode
	Cause   string
}

// Plan decides what to do next. It does no I/O and depends on nothing but its arguments.
func Plan(v View, now time.Time) []Action {
	actions := finish(v, now)
	if v.Snap.Closed {
		return append(actions, drainAll(v, journal.CauseRemoved)...)
	}
	if misfits := drainMisfits(v); len(misfits) > 0 {
		return append(actions, misfits...)
	}
	if v.Snap.Policy.Fixed != "" || !v.accounted() {
		return actions
	}
	c := v.count(now)
	if over := c.live + c.asleep - v.Snap.Policy.Max; over > 0 && c.asleep >= over {
		return append(actions, tidy(v, over)...) // first: it would be in the way of what follows
	}
	if replaced := replace(v, now); len(replaced) > 0 {
		return append(actions, replaced...)
	}
	want := wanted(v, c)
	switch {
	case c.live < want:
		return append(actions, grow(v, want-c.live, now)...)
	case c.live > v.Snap.Policy.Max:
		return append(actions, shrink(v, c.live-v.Snap.Policy.Max)...)
	default:
		return append(actions, rest(v, c.live-want, now)...)
	}
}

// wanted is how many live replicas the app should have.
func wanted(v View, c count) int {
	p := v.Snap.Policy
	want := p.Min
	if v.Waiting > 0 {
		want = max(want, demand(v, c))
	}
	return min(want, p.Max)
}

// demand is how many live replicas let everybody in who waits.
func demand(v View, c count) int {
	seats := v.Snap.Policy.Seats
	if seats > 0 {
		short := max(0, v.Waiting-c.free)
		return c.live + (short+seats-1)/seats
	}
	for _, row := range v.Snap.Rows {
		if row.State() != pool.Draining && row.State() != pool.Asleep && !v.lost(row) {
			return c.live // the wait is for that one
		}
	}
	return c.live + 1
}

// grow wakes sleeping rows first, then starts new ones as far as max allows. Above max not even a sleeping row is woken
// (P2): one of the others is on its way out.
func grow(v View, n int, now time.Time) (actions []Action) {
	if f := v.Snap.Failure; f != nil && now.Before(f.Until) {
		return nil
	}
	if v.overfull() {
		return nil
	}
	for _, row := range v.Snap.Rows {
		if n > 0 && row.State() == pool.Asleep && !row.Doubt {
			actions = append(actions, Action{Verb: Wake, Replica: row.ID, Version: row.Version})
			n--
		}
	}
	if v.Snap.Policy.Adopts() && v.Snap.Policy.Adopt.Unit == "" {
		return actions // there are no others than those that are found, but for what a unit makes when it is started
	}
	placed := map[string]int{}
	for room := v.Snap.Policy.Max - len(v.Snap.Rows); n > 0 && room > 0; n, room = n-1, room-1 {
		host := v.place(placed)
		if host == "" {
			break
		}
		placed[host]++
		actions = append(actions, Action{Verb: Spawn, Host: host})
	}
	return actions
}

// shrink drains what is above max: first what serves nobody yet, then what serves the fewest.
func shrink(v View, n int) (actions []Action) {
	rows := v.rows(func(r pool.Row) bool {
		return r.State() != pool.Draining && r.State() != pool.Asleep && !r.Acting && !r.Doubt
	})
	slices.SortStableFunc(rows, func(a, b pool.Row) int {
		return cmp.Or(cmp.Compare(serves(a), serves(b)), cmp.Compare(a.Seats()+a.Leases(), b.Seats()+b.Leases()),
			b.Since().Compare(a.Since()))
	})
	for _, row := range rows[:min(n, len(rows))] {
		actions = append(actions, drain(row, pool.SleepRemove, journal.CauseSurplus))
	}
	return actions
}

// tidy removes what sleeps above max: a replacement that was made while the rest fell asleep leaves one too many. First
// goes what was to be replaced, then what has no data, then what came last.
func tidy(v View, n int) (actions []Action) {
	rows := v.rows(func(r pool.Row) bool { return r.State() == pool.Asleep && !r.Doubt })
	rank := func(r pool.Row) int {
		switch {
		case r.Replace || r.Spec != v.Snap.Policy.Spec:
			return 0
		case !r.Volumes:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(rows, func(a, b pool.Row) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.Since().Compare(a.Since()))
	})
	for _, row := range rows[:min(n, len(rows))] {
		actions = append(actions, drain(row, pool.SleepRemove, journal.CauseSurplus))
	}
	return actions
}

func serves(r pool.Row) int {
	if r.Serves() {
		return 1
	}
	return 0
}

// rest drains up to n replicas that nobody used for the policy's idle time, the longest unused first: so what fails its
// health checks goes before what was started in its place.
func rest(v View, n int, now time.Time) (actions []Action) {
	p := v.Snap.Policy
	if p.Idle < 0 || v.Waiting > 0 {
		return nil
	}
	idle := v.rows(func(r pool.Row) bool {
		rests := r.Serves() || r.Suspect() == pool.SuspectHealth
		return rests && !r.Doubt && r.IdleFor(now) >= p.Idle && !r.InUse()
	})
	slices.SortStableFunc(idle, func(a, b pool.Row) int { return cmp.Compare(b.IdleFor(now), a.IdleFor(now)) })
	for _, row := range idle[:max(0, min(n, len(idle)))] {
		actions = append(actions, drain(row, p.SleepOf(row), journal.CauseIdle))
	}
	return actions
}

// finish ends the rows that are drained, or whose visitors had all the time that the policy gives.
func finish(v View, now time.Time) (actions []Action) {
	for _, row := range v.Snap.Rows {
		if row.State() != pool.Draining || row.Acting {
			continue
		}
		if !row.InUse() || row.Upstream() == nil || now.Sub(row.Since()) >= v.Snap.Policy.Drain {
			actions = append(actions, Action{Verb: Finish, Replica: row.ID, Version: row.Version})
		}
	}
	return actions
}

func drainAll(v View, cause string) (actions []Action) {
	for _, row := range v.rows(func(r pool.Row) bool { return r.State() != pool.Draining && !r.Acting }) {
		actions = append(actions, drain(row, pool.SleepRemove, cause))
	}
	return actions
}

func drainMisfits(v View) (actions []Action) {
	for _, row := range v.rows(func(r pool.Row) bool { return r.State() != pool.Draining && !r.Acting && !v.Snap.Policy.Fits(r) }) {
		actions = append(actions, drain(row, pool.SleepRemove, journal.CauseReplaced))
	}
	return actions
}

func drain(row pool.Row, then pool.SleepMode, cause string) Action {
	return Action{Verb: Drain, Replica: row.ID, Version: row.Version, Then: then, Cause: cause}
}

func (v View) rows(match func(pool.Row) bool) (rows []pool.Row) {
	for _, row := range v.Snap.Rows {
		if match(row) {
			rows = append(rows, row)
		}
	}
	return rows
}
