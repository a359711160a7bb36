package scaler

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// held is a start that goes no further than its reservation until it is let go.
type held chan struct{}

func (h held) Spec(string, string, *runtime.Host) (Order, error) {
	<-h
	return Order{}, errors.New("the test is over")
}

// Apps that start at the same moment never fill a host above its max_containers: each plans alone, on a count that the
// others are about to change.
func TestHostIsNotOverfilledByAppsThatStartTogether(t *testing.T) {
	const most, apps = 3, 12
	for range 100 {
		p := pool.New()
		hosts := func() []HostView {
			view := HostView{Name: "h1", Accounted: true, Answers: true, Max: most}
			for _, app := range p.Apps() {
				view.Rows += len(app.Snapshot().Rows)
			}
			return []HostView{view}
		}
		over := make(held)
		s := &Scaler{Fleet: runtime.NewFleet(&runtime.Host{Name: "h1"}), Specs: over, Hosts: hosts,
			Journal: journal.New(slog.New(slog.DiscardHandler)), Log: slog.New(slog.DiscardHandler)}
		var planning, together sync.WaitGroup
		together.Add(1)
		loops := make([]*loop, apps)
		for i := range loops {
			loops[i] = &loop{Scaler: s, app: pool.NewApp(fmt.Sprint("app", i), pool.Policy{Max: 1, Min: 1})}
			p.Add(loops[i].app)
			planning.Go(func() {
				together.Wait()
				loops[i].step(t.Context())
			})
		}
		together.Done()
		planning.Wait()
		if rows := hosts()[0].Rows; rows > most {
			t.Fatalf("%d rows on a host that may have %d", rows, most)
		}
		close(over)
		for _, l := range loops {
			l.acts.Wait()
		}
	}
}
