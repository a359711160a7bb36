package liveness

import (
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// Act is what to do outside the pool after a decision.
type Act int

const (
	None Act = iota
	// Probe checks readiness, then puts the row (back) into routing.
	Probe
	// StartAgain starts the same container, inside the restart window.
	StartAgain
	// Expire removes the stopped container without force, past the window.
	Expire
	// Reap removes the row: its container is authoritatively gone.
	Reap
)

func (a Act) String() string { return [...]string{"-", "probe", "start again", "expire", "reap"}[a] }

// Seen is an observation with what a decision needs besides.
type Seen struct {
	Verdict   runtime.Verdict
	Start     string
	Endpoints map[int]pool.Endpoint // nil if the container has none now
	// Accused: the look was asked for because a connection to the replica failed. That made it suspect already; a probe from
	// before the failure may have cleared it since.
	Accused bool
	// Wanted: a visitor waits, or min needs the row.
	Wanted bool
	Policy *pool.Policy
	Now    time.Time
}

const (
	// startAgainAfter leaves who stopped the container the time to start it himself: docker restart takes about so long.
	startAgainAfter = 2 * time.Second
	// startAgainEvery spaces our own tries in one window.
	startAgainEvery = 5 * time.Second
	// longestStep caps what one pair of looks adds to the window, so that a sleep of the machine does not end it.
	longestStep = 15 * time.Second
)

// Decide says what an observation makes of a row. It follows the table of the design: verdict by state.
func Decide(row pool.Row, seen Seen) (pool.Row, Act) {
	if seen.Verdict == runtime.Unknown {
		row.Doubt, row.Answered = true, time.Time{}
		return row, None
	}
	row.Doubt = false
	if seen.Verdict == runtime.Missing {
		return missing(row)
	}
	switch row.State() {
	case pool.Starting:
		return starting(row, seen)
	case pool.Ready:
		return ready(row, seen)
	case pool.Restarting:
		return restarting(row, seen)
	case pool.Draining:
		return draining(row, seen)
	default:
		return asleep(row, seen)
	}
}

// missing ends the row, but for one that the scaler is starting: that start fails, and it is told as that.
func missing(row pool.Row) (pool.Row, Act) {
	if row.State() == pool.Starting && row.Acting {
		return row, None
	}
	return row, Reap
}

// starting rows that the scaler starts are its own to watch; others are adopted ones that wait for their probe.
func starting(row pool.Row, seen Seen) (pool.Row, Act) {
	if row.Acting || row.Probing != 0 {
		return row, None
	}
	switch seen.Verdict {
	case runtime.Running:
		return row, Probe
	case runtime.Stopped:
		row.Restarts()
		return row, None
	default:
		return row, None
	}
}

func ready(row pool.Row, seen Seen) (pool.Row, Act) {
	switch {
	case seen.Verdict == runtime.Stopped:
		row.Restarts()
		return row, None
	case seen.Start != row.Start():
		row.Restarts()
		return restarting(row, seen)
	case seen.Verdict == runtime.Paused:
		row.Suspected(pool.SuspectPaused)
		row.Probing = 0 // the kernel still accepts for a frozen process: a probe would pass
		return row, None
	}
	if seen.Endpoints == nil {
		row.Suspected(pool.SuspectNoAddress)
		return row, None
	}
	if !readiness.SameEndpoints(row.Upstream().Endpoints, seen.Endpoints) {
		up := pool.NewUpstream(row.Container, seen.Start, seen.Endpoints)
		up.Main = row.Upstream().Main
		row.Moved(up)
		row.Suspected("address changed")
		row.Probing = 0 // one that is out asks the old address
	}
	if seen.Accused && row.Suspect() == "" {
		row.Suspected(suspectTransport)
	}
	if row.Suspect() != "" && row.Suspect() != pool.SuspectHealth && row.Probing == 0 {
		return row, Probe
	}
	return row, None
}

func restarting(row pool.Row, seen Seen) (pool.Row, Act) {
	switch seen.Verdict {
	case runtime.Running:
		row.Answered = seen.Now
		if row.Probing != 0 {
			return row, None
		}
		return row, Probe
	case runtime.Paused:
		row.Answered = time.Time{}
		return row, None
	}
	if !row.Answered.IsZero() {
		row.Down += min(seen.Now.Sub(row.Answered), longestStep)
	}
	row.Answered = seen.Now
	if row.Acting {
		return row, None
	}
	if row.Down >= seen.Policy.RestartGrace {
		return row, Expire
	}
	if seen.Wanted && row.Down >= patience(row, seen.Policy) && (row.Tried.IsZero() || seen.Now.Sub(row.Tried) >= startAgainEvery) {
		row.Tried = seen.Now
		return row, StartAgain
	}
	return row, None
}

// patience is how long a row stays stopped before we start it again. It doubles for an app that keeps ending soon after it
// is ready, up to half the window: past that the row is replaced.
func patience(row pool.Row, policy *pool.Policy) time.Duration {
	again := startAgainAfter << min(max(row.Flaps-1, 0), 8)
	return min(again, max(startAgainAfter, policy.RestartGrace/2))
}

// draining rows end by the scaler's hand; here only their connections end with the start that they were made to.
func draining(row pool.Row, seen Seen) (pool.Row, Act) {
	over := seen.Verdict == runtime.Stopped || seen.Verdict == runtime.Running && seen.Start != row.Start()
	if over && row.Upstream() != nil {
		row.Died()
	}
	return row, None
}

func asleep(row pool.Row, seen Seen) (pool.Row, Act) {
	if seen.Verdict != runtime.Running {
		return row, None
	}
	row.Wakes() // somebody else started it
	return row, Probe
}
