package pool

import "time"

// Row is one replica as a snapshot shows it. Fields other than the state are set by whoever settles a change; the
// state changes only through the transitions below.
type Row struct {
	*Replica
	// Version grows with every change of the row. A result that was asked for at another version is stale.
	Version uint64

	Host      string
	Identity  string // of the engine that made the container
	Container string // id; empty while the row is only a reservation
	Spec      string // the hash that the container was made from
	Volumes   bool   // the container has anonymous volumes: removing it loses data
	Adopted   bool   // somebody else made the container: it is stopped and started, and never removed
	Unit      string // of systemd, that runs the adopted container: it is started and stopped through it; empty: none does
	Main      int    // the app's main port when the container was made, or was last ready; 0: not known

	state    State
	since    time.Time
	upstream *Upstream // from ready on
	suspect  string
	proven   bool // was ready or asleep before: what its next start brings is no start of before this process

	// Probing is the token of the readiness check in flight, so that there is only one; 0 if there is none.
	Probing uint64
	// Acting marks an engine operation of the scaler in flight: a start, or the end of draining.
	Acting bool
	// Surge marks a replacement that stands above max for as long as what it replaces is there.
	Surge bool
	// Doubt: the host did not answer the last look. The row serves on; others are preferred.
	Doubt bool
	// Down is the part of the restart window that has passed under answered looks.
	Down time.Duration
	// Answered is when the last answered look was, zero after an unanswered one: the window stands still meanwhile.
	Answered time.Time
	// Tried is when the container was last started again by us, in the restart window.
	Tried time.Time
	// Flaps counts the starts in a row that ended soon after they were ready.
	Flaps int
	// Replace asks for a replacement by the update order: an operator's restart, or health checks that fail.
	Replace bool
	// Then says what follows draining.
	Then SleepMode
	// Cause of draining, for the journal.
	Cause string
}

// State of the row.
func (r Row) State() State { return r.state }

// Since is when the row came into its state.
func (r Row) Since() time.Time { return r.since }

// Upstream is nil before the row was ready for the first time in its present start.
func (r Row) Upstream() *Upstream { return r.upstream }

// Suspect says what speaks against a ready replica; empty if nothing does.
func (r Row) Suspect() string { return r.suspect }

// Start is the run of the container that the row stands for; empty if none is known.
func (r Row) Start() string {
	if r.upstream == nil {
		return ""
	}
	return r.upstream.Start
}

// Serves says whether the row may be picked for a new visitor.
func (r Row) Serves() bool { return r.state == Ready && r.suspect == "" }

// IdleFor tells how long nobody has used the replica. A row on its way to readiness is not idle, however long that takes:
// the clock starts when it is ready (cases B053, B068).
func (r Row) IdleFor(now time.Time) time.Duration {
	if r.state == Starting || r.state == Restarting {
		return 0
	}
	return r.Replica.IdleFor(now)
}

// keeps says whether a bound visitor may go on there: a draining replica serves those it has.
func (r Row) keeps() bool {
	return r.Serves() || r.state == Draining && r.upstream != nil && r.suspect == ""
}

// Ending says whether the container is being removed by us, or goes with its unit: that it is gone is no news then.
func (r Row) Ending() bool {
	return r.state == Draining && r.Acting && (r.Then == SleepRemove || r.Unit != "")
}

// Precious says that removing the container would lose what nobody can make again.
func (r Row) Precious() bool { return r.Volumes || r.Adopted }

// BecomeReady puts the row into routing with this upstream, a new one: what has ended stays ended. The idle clock starts
// anew.
func (r *Row) BecomeReady(up *Upstream) {
	r.enter(Ready)
	r.proven = true
	r.leaving.Store(false)
	r.upstream, r.Container, r.Main = up, up.Container, up.Main
	r.suspect, r.Probing, r.Acting, r.Doubt = "", 0, false, false
	r.Down, r.Answered, r.Tried = 0, time.Time{}, time.Time{}
	r.used()
}

// What may be said against a row that somebody else has to mend: by a look, and by the checks of its health.
const (
	SuspectPaused    = "paused"
	SuspectNoAddress = "no address"
	SuspectHealth    = "health"
)

// Suspected takes a ready row out of the pick. Its sessions and its connections stay.
func (r *Row) Suspected(why string) { r.suspect = why }

// Cleared ends the suspicion, after a passed probe.
func (r *Row) Cleared() { r.suspect, r.Probing = "", 0 }

// Moved replaces the upstream of the same start by one with other addresses.
func (r *Row) Moved(up *Upstream) { r.upstream = up }

// Restarts takes the row out of routing because its start is over: sessions end, connections are closed, the slot
// stays, and the window opens.
func (r *Row) Restarts() {
	if r.state == Ready {
		r.countFlap()
	}
	r.enter(Restarting)
	r.upstream, r.suspect, r.Probing = nil, "", 0
	r.Down, r.Answered, r.Tried = 0, time.Now(), time.Time{}
}

// steady is how long a start lasts that does not count as a flap.
const steady = 10 * time.Second

// Flapping says whether the row keeps ending soon after it is ready, as far as is known now.
func (r Row) Flapping() bool {
	return r.Flaps > 1 && (r.state == Restarting || time.Since(r.since) < steady)
}

func (r *Row) countFlap() {
	if time.Since(r.since) >= steady {
		r.Flaps = 0
		return
	}
	r.Flaps++
}

// Died ends the start of a draining row: nothing is served there any more.
func (r *Row) Died() { r.upstream, r.suspect, r.Probing = nil, "", 0 }

// Drains lets no new visitor in. What follows is told by then.
func (r *Row) Drains(then SleepMode, cause string) {
	r.enter(Draining)
	r.Then, r.Cause, r.Acting, r.Probing = then, cause, false, 0
	r.leaving.Store(true)
}

// Sleeps ends draining with the container kept.
func (r *Row) Sleeps() {
	r.enter(Asleep)
	r.upstream, r.suspect, r.Probing, r.Acting = nil, "", 0, false
	r.leaving.Store(false)
}

// Wakes begins another start of a sleeping row.
func (r *Row) Wakes() {
	r.enter(Starting)
	r.proven = true
	r.leaving.Store(false)
}

func (r *Row) enter(s State) { r.state, r.since = s, time.Now() }
