package scaler

import (
	"log/slog"
	"testing"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

var theirs = pool.Policy{Max: 2, Adopt: pool.Adoption{Name: "web"}, Spec: "adopted, named web"}

func adopted(t *testing.T, app *pool.App) pool.Row {
	t.Helper()
	row, err := app.Reserve("r1", 0, func(r *pool.Row) {
		r.Host, r.Container, r.Adopted, r.Spec = "h1", "c1", true, theirs.Spec
		r.Sleeps()
	})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// P9: what others made is woken and never made; were a start of it to fail, it would be stopped, not removed.
func TestAdoptedIsWokenAndNothingIsMade(t *testing.T) {
	app := pool.NewApp("hello", theirs)
	view := View{Snap: app.Snapshot(), Waiting: 1, Hosts: []HostView{{Name: "h1", Accounted: true, Answers: true}}}
	if plan := Plan(view, time.Now()); len(plan) != 0 {
		t.Errorf("with nothing there: got %+v", plan)
	}
	row := adopted(t, app)
	view.Snap = app.Snapshot()
	if plan := Plan(view, time.Now()); len(plan) != 1 || plan[0].Verb != Wake {
		t.Errorf("asleep: got %+v, want one wake", plan)
	}
	wakes(&row, app.Snapshot().Policy)
	if row.Then != pool.SleepStop {
		t.Errorf("a failed start would end in %s", row.Then)
	}
}

// P9: an app that adopts another container, or none any more, lets go of the one that it had. The host has no engine: to
// ask it for anything would be a crash.
func TestAdoptedIsLetGoAsItIs(t *testing.T) {
	for what, policy := range map[string]pool.Policy{
		"another name": {Max: 2, Adopt: pool.Adoption{Name: "other"}, Spec: "adopted, named other"},
		"an image":     {Max: 2, Spec: "hash"},
	} {
		app := pool.NewApp("hello", theirs)
		row := adopted(t, app)
		app.SetPolicy(policy)
		plan := Plan(View{Snap: app.Snapshot()}, time.Now())
		if len(plan) != 1 || plan[0].Verb != Drain || plan[0].Then != pool.SleepRemove {
			t.Fatalf("%s: got %+v, want it drained", what, plan)
		}
		row, _ = app.Settle(row.ID, 0, func(r *pool.Row) bool { r.Drains(plan[0].Then, plan[0].Cause); return true })
		s := &Scaler{Fleet: runtime.NewFleet(&runtime.Host{Name: "h1"}), Log: slog.New(slog.DiscardHandler),
			Journal: journal.New(slog.New(slog.DiscardHandler))}
		s.finish(t.Context(), app, row)
		if rows := app.Snapshot().Rows; len(rows) != 0 {
			t.Errorf("%s: %d rows are left", what, len(rows))
		}
	}
}
