package simulation

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// goneWhenSilent takes a host that does not answer for an empty one.
type goneWhenSilent struct{ *seam }

func (e goneWhenSilent) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	if err == nil || e.generation.dead.Load() {
		return report, err
	}
	report = runtime.Report{}
	for _, q := range queries {
		report.Observations = append(report.Observations, runtime.Observation{Query: q, Verdict: runtime.Missing})
	}
	return report, nil
}

// goneWhenStopped takes a container that does not run for one that is gone.
type goneWhenStopped struct{ *seam }

func (e goneWhenStopped) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	for i, o := range report.Observations {
		if o.Verdict == runtime.Stopped {
			report.Observations[i].Verdict = runtime.Missing
		}
	}
	return report, err
}

// credulous finds everything ready.
func credulous() *readiness.Checker {
	dial := func(context.Context, netip.AddrPort) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go say(theirs)
		return ours, nil
	}
	return &readiness.Checker{Prober: probe.Prober{Dial: dial}}
}

func say(conn net.Conn) {
	_, _ = conn.Write([]byte{'!'}) // heard, or the other end was closed
	conn.Close()
}

// twofold starts two where one was reserved.
type twofold struct{ *seam }

func (e twofold) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	another := spec
	another.Labels = maps.Clone(spec.Labels)
	another.Labels[runtime.LabelReplica] += "x"
	another.Name = runtime.ContainerName(instance, spec.Labels[runtime.LabelApp], another.Labels[runtime.LabelReplica])
	_, _ = e.seam.Create(ctx, another) // whatever comes of it, it was asked for
	return e.seam.Create(ctx, spec)
}

// welcoming readopts whatever runs, however many there are. It claims the row, or the scaler would see to it at once.
type welcoming struct{ *seam }

func (e welcoming) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	g := e.generation
	for _, c := range report.Discovered {
		app := g.pool.App(c.Labels[runtime.LabelApp])
		if app == nil || !c.Runs() {
			continue
		}
		row, ok := app.Insist(c.Labels[runtime.LabelReplica], func(r *pool.Row) {
			r.Host, r.Identity, r.Container, r.Spec, r.Acting = g.hosts[e.host].Name, report.Identity, c.ID, "spec", true
		})
		if ok {
			g.loops.Go(func() { g.welcome(app, row) })
		}
	}
	return report, err
}

func (g *generation) welcome(app *pool.App, row pool.Row) {
	host, _ := g.fleet.Host(row.Host)
	up, err := g.scaler.Checker.Await(g.ctx, host, row.Container, app.Snapshot().Policy)
	_, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		r.Acting = false
		if err == nil {
			r.BecomeReady(up)
		}
		return true
	})
	if ok && err == nil {
		g.journal.Record(journal.Event{Word: journal.ReplicaReadopted, App: app.Name, Replica: row.ID, Container: row.Container, Host: row.Host})
	}
}

// trusting removes a row because an event says that its container died.
type trusting struct{ *seam }

func (e trusting) Events(ctx context.Context, since time.Time) (<-chan runtime.Event, error) {
	events, err := e.seam.Events(ctx, since)
	if err != nil {
		return nil, err
	}
	passed := make(chan runtime.Event)
	go e.pass(ctx, events, passed)
	return passed, nil
}

func (e trusting) pass(ctx context.Context, events <-chan runtime.Event, passed chan<- runtime.Event) {
	defer close(passed)
	for event := range events {
		if app := e.generation.pool.App(event.Labels[runtime.LabelApp]); app != nil && event.Action == runtime.Died {
			if row, there := app.Snapshot().Row(event.Labels[runtime.LabelReplica]); there && row.Container == event.Container {
				app.Remove(row.ID, 0)
			}
		}
		select {
		case passed <- event:
		case <-ctx.Done():
			return
		}
	}
}

// timeless gives each answer the look of a new one, whenever it was asked for.
type timeless struct{ *seam }

var newest atomic.Uint64 // above every order that a Keeper gives

func (e timeless) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	for i := range report.Observations {
		report.Observations[i].Version = 0 // any
		report.Observations[i].Asked = 1<<40 + newest.Add(1)
	}
	return report, err
}

// forgetful takes a create without a reply for one that made nothing.
type forgetful struct{ *seam }

func (e forgetful) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	id, err := e.seam.Create(ctx, spec)
	if err != nil {
		err = errors.Join(runtime.ErrInvalid, err)
	}
	return id, err
}
