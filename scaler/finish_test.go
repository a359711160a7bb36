package scaler

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// Docker tells of a removal before it replies to it: the row that a look has reaped by then was no failure.
func TestReapedMeanwhileIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := simulated.New("main", simulated.NewWorld(simulated.Options{}))
		defer engine.Fault(simulated.Fault{On: simulated.Stop, Kind: simulated.Hang})()
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, nil))
		s := &Scaler{Fleet: runtime.NewFleet(&runtime.Host{Name: "h1", Engine: engine}), Log: log, Journal: journal.New(slog.New(slog.DiscardHandler))}
		app := pool.NewApp("hello", pool.Policy{Max: 1})
		row, err := app.Reserve("r1", 0, func(r *pool.Row) {
			r.Host, r.Container = "h1", "c1"
			r.Drains(pool.SleepRemove, journal.CauseIdle)
		})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { s.finish(t.Context(), app, row); close(ended) }()
		synctest.Wait()
		app.Remove("r1", 0)
		<-ended
		if said.Len() > 0 {
			t.Errorf("it says %s", said.String())
		}
	})
}
