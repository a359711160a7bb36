package liveness

import (
	"fmt"
	"sync"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// absentees remembers since when apps have not had the containers that they adopt.
type absentees struct {
	mu    sync.Mutex // guards since
	since map[*pool.App]time.Time
}

// note is told after each search. An app that has had nothing for long enough fails, until the next search would find
// something: its visitors do not wait for what nobody has made.
func (a *absentees) note(app *pool.App, now time.Time) {
	snap := app.Snapshot()
	if since := a.missing(app, len(snap.Rows) == 0, now); since < absence {
		return
	}
	app.SetFailure(&pool.Failure{Reason: ReasonAbsent, Until: now.Add(absence), Tries: 1,
		Detail: fmt.Sprintf("there is no container %s; Fairlead makes none for this app", snap.Policy.Adopt)})
}

// missing returns for how long nothing was there.
func (a *absentees) missing(app *pool.App, nothing bool, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !nothing {
		delete(a.since, app)
		return 0
	}
	if a.since == nil {
		a.since = map[*pool.App]time.Time{}
	}
	if _, known := a.since[app]; !known {
		a.since[app] = now
	}
	return now.Sub(a.since[app])
}
