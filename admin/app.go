package admin

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// App is one app as the API shows it.
type App struct {
	Name     string    `json:"name"`
	State    string    `json:"state"` // in one word: see stateOf
	Waiting  int       `json:"waiting"`
	Sessions int       `json:"sessions"`
	Leases   int       `json:"leases"`
	Policy   Policy    `json:"policy"`
	Failure  *Failure  `json:"failure,omitempty"` // of the last start, until one succeeds
	Replicas []Replica `json:"replicas"`
}

// Policy is what of the app's policy helps to read the rest.
type Policy struct {
	Min    int    `json:"min"`
	Max    int    `json:"max"`
	Seats  int    `json:"seats"` // of one replica; 0: no limit
	Sticky bool   `json:"sticky"`
	Idle   string `json:"idle"` // a duration, or never
	Sleep  string `json:"sleep"`
}

// Failure is why the app could not start.
type Failure struct {
	Reason string `json:"reason"`
	// Detail is the cause and, for those with the token, the last log lines under it: what containers print is as
	// secret as logs are.
	Detail string    `json:"detail,omitempty"`
	Tries  int       `json:"tries"`
	Until  time.Time `json:"until"` // the next try is not before
}

func (a *api) apps(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, a.appViews(r)) }

func (a *api) appViews(r *http.Request) []App {
	views := []App{}
	for _, app := range a.Pool.Apps() {
		views = append(views, a.view(app, r))
	}
	return views
}

func (a *api) app(w http.ResponseWriter, r *http.Request) {
	app, err := a.find(r)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, a.view(app, r))
}

// find looks the app of the path up among the configured ones; nothing else can be named (case B199).
func (a *api) find(r *http.Request) (*pool.App, error) {
	name := r.PathValue("app")
	if app := a.Pool.App(name); app != nil {
		return app, nil
	}
	return nil, fmt.Errorf("app %s: %w", quoted(name), ErrNoApp)
}

func (a *api) view(app *pool.App, r *http.Request) App {
	snap := app.Snapshot()
	view := App{
		Name:     app.Name,
		State:    stateOf(snap),
		Waiting:  app.Waiting(time.Now()),
		Sessions: app.Sessions(),
		Policy:   policyOf(snap.Policy),
		Failure:  failureOf(snap.Failure, a.authorized(r)),
		Replicas: []Replica{},
	}
	for i := range snap.Rows {
		replica := replicaOf(app, snap, &snap.Rows[i])
		view.Leases += replica.Leases
		view.Replicas = append(view.Replicas, replica)
	}
	return view
}

// stateOf tells the app's condition by its best replica: ready, suspect, starting, restarting, draining, asleep; failed if
// there is none and the last start went wrong.
func stateOf(snap *pool.Snapshot) string {
	for i := range snap.Rows {
		if snap.Rows[i].Serves() {
			return pool.Ready.String()
		}
	}
	if snap.Count(pool.Ready) > 0 {
		return "suspect"
	}
	for _, state := range []pool.State{pool.Starting, pool.Restarting, pool.Draining} {
		if snap.Count(state) > 0 {
			return state.String()
		}
	}
	if snap.Failure != nil {
		return "failed"
	}
	return pool.Asleep.String()
}

func policyOf(p *pool.Policy) Policy {
	idle := "never"
	if p.Idle >= 0 {
		idle = p.Idle.String()
	}
	return Policy{Min: p.Min, Max: p.Max, Seats: p.Seats, Sticky: p.Sticky, Idle: idle, Sleep: p.Sleep.String()}
}

func failureOf(f *pool.Failure, whole bool) *Failure {
	if f == nil {
		return nil
	}
	detail := f.Detail
	if !whole {
		detail, _, _ = strings.Cut(detail, "\n")
	}
	return &Failure{Reason: f.Reason, Detail: detail, Tries: f.Tries, Until: f.Until}
}
