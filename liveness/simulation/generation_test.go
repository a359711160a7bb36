package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/liveness"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/scaler"
)

const (
	instance       = "main"
	port           = 8080
	strangersImage = "localhost/stranger:latest"
)

// generation is one life of Fairlead, from its start to its kill, wired as the daemon wires it.
type generation struct {
	stage   *stage
	hosts   []*runtime.Host
	seams   []*seam
	fleet   *runtime.Fleet
	pool    *pool.Pool
	journal *journal.Journal
	keeper  *liveness.Keeper
	scaler  *scaler.Scaler

	ctx       context.Context
	stop      context.CancelFunc
	dead      atomic.Bool
	forgetful atomic.Bool // an operator made it forget a host
	loops     sync.WaitGroup
	visitors  sync.WaitGroup

	seen seen // at the last comparison
}

var errDead = errors.New("this Fairlead was killed")

// begin starts Fairlead; saved says whether it finds the rows that the last one wrote down.
func (s *stage) begin(restored bool) {
	g := &generation{stage: s, pool: pool.New(), journal: journal.New(slog.New(slog.DiscardHandler)), seen: newSeen()}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.wire()
	for _, a := range s.script.apps {
		g.pool.Add(pool.NewApp(a.name, a.policy()))
	}
	if restored {
		g.restore(s.saved)
	}
	s.fairlead = g
	for _, app := range g.pool.Apps() {
		g.loops.Go(func() { g.scaler.Run(g.ctx, app) })
	}
	g.loops.Go(func() { g.keeper.Run(g.ctx) })
	for _, host := range g.hosts {
		g.loops.Go(func() { g.keeper.Follow(g.ctx, host.Name) })
	}
	g.hireTenants()
}

func (g *generation) wire() {
	for i, engine := range g.stage.engines {
		line := g.stage.script.hosts[i]
		s := &seam{Engine: engine, generation: g, host: i}
		host := &runtime.Host{Name: fmt.Sprintf("h%d", i), Engine: s, Quiet: line.quiet, Reach: runtime.Reach{Mode: runtime.ReachAddress}}
		if line.published {
			host.Reach.Mode = runtime.ReachPublished
		}
		if p := g.stage.plant; p != nil && p.engine != nil {
			host.Engine = p.engine(s)
		}
		g.seams, g.hosts = append(g.seams, s), append(g.hosts, host)
	}
	g.fleet = runtime.NewFleet(g.hosts...)
	checker := readiness.Checker{Prober: probe.Prober{Dial: g.stage.network.Dial}}
	log := slog.New(slog.DiscardHandler)
	keepers := checker
	if p := g.stage.plant; p != nil && p.checker != nil {
		keepers = *p.checker
	}
	g.keeper = liveness.New(liveness.Options{Pool: g.pool, Fleet: g.fleet, Instance: instance, Checker: keepers, Journal: g.journal, Log: log})
	g.scaler = &scaler.Scaler{Fleet: g.fleet, Instance: instance, Checker: checker, Specs: specs{}, Hosts: g.views,
		Journal: g.journal, Log: log, Previous: &scaler.Previous{}}
}

func (a appLine) policy() pool.Policy {
	p := pool.Policy{Min: a.min, Max: a.max, Seats: a.seats, Sticky: a.sticky, Port: port, Ports: []int{port}, Idle: a.idle,
		Drain: 5 * time.Second, StopGrace: 2 * time.Second, Ready: pool.Readiness{Timeout: 20 * time.Second},
		RestartGrace: 10 * time.Second, SessionIdle: 8 * time.Second, Spec: "spec", KeepData: a.volumes}
	p.Sleep = map[string]pool.SleepMode{"stop": pool.SleepStop, "pause": pool.SleepPause}[a.sleep]
	if a.stopFirst {
		p.Order = pool.StopFirst
	}
	return p
}

type specs struct{}

// Spec implements scaler.Specs.
func (specs) Spec(app, replica string, host *runtime.Host) (scaler.Order, error) {
	return scaler.Order{Spec: specOf(app, replica, host.Reach), Hash: "spec"}, nil
}

func specOf(app, replica string, reach runtime.Reach) runtime.Spec {
	return runtime.Spec{
		Name: runtime.ContainerName(instance, app, replica), Image: imageOf(app), Ports: reach.Ports([]int{port}),
		Labels: map[string]string{runtime.LabelInstance: instance, runtime.LabelApp: app, runtime.LabelReplica: replica,
			runtime.LabelSpec: "spec"},
	}
}

func imageOf(app string) string { return "localhost/" + app + ":latest" }

func (g *generation) views() (views []scaler.HostView) {
	rows := map[string]int{}
	for _, app := range g.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			rows[row.Host]++
		}
	}
	for _, s := range g.keeper.Hosts() {
		views = append(views, scaler.HostView{Name: s.Name, Accounted: s.Accounted, Answers: s.Answers, Identity: s.Identity, Rows: rows[s.Name]})
	}
	return views
}

// at says whether the row still is as it was when a look was asked for; else the answer is rightly dropped.
func (g *generation) at(q runtime.Query) bool {
	for _, app := range g.pool.Apps() {
		if row, there := app.Snapshot().Row(q.Replica); there {
			return row.Version == q.Version
		}
	}
	return false
}

// kill ends Fairlead as SIGKILL does: from this moment it does nothing any more.
func (s *stage) kill() {
	g := s.fairlead
	if g == nil {
		return
	}
	g.dead.Store(true)
	g.stop()
	s.fairlead, s.killed = nil, append(s.killed, g)
}

// saved is what the daemon writes down of its rows, at most once a second.
type saved struct {
	at    time.Time
	hosts []string
	rows  []savedRow
}

type savedRow struct {
	app, replica, host, identity, container, spec string
	volumes, asleep                               bool
}

func (g *generation) save() {
	if time.Since(g.stage.saved.at) < time.Second {
		return
	}
	now := saved{at: time.Now()}
	for _, host := range g.keeper.Hosts() {
		if host.Accounted {
			now.hosts = append(now.hosts, host.Name)
		}
	}
	for _, app := range g.pool.Apps() {
		for _, r := range app.Snapshot().Rows {
			now.rows = append(now.rows, savedRow{app.Name, r.ID, r.Host, r.Identity, r.Container, r.Spec, r.Volumes, r.State() == pool.Asleep})
		}
	}
	g.stage.saved = now
}

func (g *generation) restore(from saved) {
	for _, row := range from.rows {
		if row.container == "" {
			continue
		}
		g.pool.App(row.app).Insist(row.replica, func(r *pool.Row) {
			r.Host, r.Identity, r.Container, r.Spec, r.Volumes = row.host, row.identity, row.container, row.spec, row.volumes
			if row.asleep {
				r.Sleeps()
			}
		})
	}
	for _, host := range from.hosts {
		g.keeper.Account(host)
	}
}

// forget is an operator's `hosts forget`.
func (g *generation) forget(host string) {
	g.forgetful.Store(true)
	for _, app := range g.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Host == host {
				delete(g.seen.rows, row.ID)
				app.Remove(row.ID, 0)
			}
		}
	}
	g.keeper.Forget(host)
}

// told is the journal, in lines that sort among the steps.
func (g *generation) told() (lines []string) {
	events, _ := g.journal.Since(0)
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%s   %s %s %.8s %s %s: %s", e.Time.UTC().Format("15:04:05.000"), cmp.Or(e.App, e.Host), e.Replica,
			e.Container, e.Trigger, e.Word, e.Cause))
	}
	return lines
}

func (g *generation) rowsAsText() string {
	var b strings.Builder
	for _, app := range g.pool.Apps() {
		for _, r := range app.Snapshot().Rows {
			fmt.Fprintf(&b, "\trow %s %s %s %s %.8s start=%s suspect=%q doubt=%v probing=%d acting=%v surge=%v down=%s\n", app.Name, r.ID, r.Host,
				r.State(), r.Container, r.Start(), r.Suspect(), r.Doubt, r.Probing, r.Acting, r.Surge, r.Down)
		}
	}
	return b.String()
}
