package h1

import "time"

const (
	// moment is how far apart the connections of a process that dies may end.
	moment = 100 * time.Millisecond
	// patience is how long an idle connection must have lasted for its end to be taken as the app's idle limit. What
	// ends sooner was ended for another reason: so many requests, or so much time in all.
	patience = time.Second
	// firstPause follows a sign of death that was none, and doubles with every other one.
	firstPause   = 10 * time.Second
	longestPause = time.Hour
)

// omens is what the ends of a target's kept connections say of the app: that it has died, or that it closes what is idle.
type omens struct {
	seen   time.Time     // when a kept connection ended and nothing explained it
	limit  time.Duration // the shortest idle time after which the app closed a connection; 0: it did not yet
	silent time.Time     // until then nothing more is told
	pause  time.Duration
}

// ended takes note of a kept connection that the app ended after so long without a request. learnt is the idle limit that
// the app announced, 0 if it did not.
func (o *omens) ended(idle, learnt time.Duration, now time.Time) {
	if !reached(idle, learnt) && !reached(idle, o.limit) {
		o.seen = now
	}
	if idle >= patience && (o.limit == 0 || idle < o.limit) {
		o.limit = idle
	}
}

// reached allows for a clock that ticks seldom.
func reached(idle, limit time.Duration) bool { return limit > 0 && idle >= limit-limit/10 }

// lost says whether the app seems to be dead now that no connection is left. An app that was believed dead and was not
// has a habit of closing connections, and is believed for a while.
func (o *omens) lost(now time.Time) bool {
	if o.seen.IsZero() || now.Sub(o.seen) > moment || now.Before(o.silent) {
		return false
	}
	o.seen = time.Time{}
	o.pause = min(max(firstPause, 2*o.pause), longestPause)
	o.silent = now.Add(o.pause)
	return true
}
