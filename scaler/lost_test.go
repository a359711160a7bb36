package scaler

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// Who pauses a container, or takes it off its network, may leave it so: a visitor is let in elsewhere, as far as max
// allows (case B007). A row that is merely doubted for a moment is waited for.
func TestVisitorDoesNotWaitForWhatIsPaused(t *testing.T) {
	for why, want := range map[string]int{pool.SuspectPaused: 1, pool.SuspectNoAddress: 1, "transport failure": 0} {
		app := pool.NewApp("hello", pool.Policy{Max: 2})
		row, err := app.Reserve("r1", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		app.Settle(row.ID, 0, func(r *pool.Row) bool {
			r.Host = "h1"
			r.BecomeReady(pool.NewUpstream("c1", "s1", nil))
			r.Suspected(why)
			return true
		})
		view := View{Snap: app.Snapshot(), Waiting: 1, Hosts: []HostView{{Name: "h1", Accounted: true, Answers: true}}}
		if plan := Plan(view, time.Now()); len(plan) != want {
			t.Errorf("%s: got plan %v, want %d starts", why, plan, want)
		}
	}
}
