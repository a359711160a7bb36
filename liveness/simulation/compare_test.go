package simulation

import (
	"slices"
	"strings"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// seen is one generation's pool at the last comparison.
type seen struct {
	rows    map[string]pool.Row // by replica
	events  uint64              // of the journal
	suspect map[string]time.Time
	holds   map[*pool.Lease]time.Time
}

func newSeen() seen {
	return seen{rows: map[string]pool.Row{}, suspect: map[string]time.Time{}, holds: map[*pool.Lease]time.Time{}}
}

// compare is what holds at every moment.
func (s *stage) compare() {
	s.register()
	s.strangersAreUntouched()
	for _, a := range s.script.apps {
		s.peak(a)
	}
	if s.fairlead != nil {
		s.fairlead.compare()
	}
}

// register notes which containers are ours, while they can be seen.
func (s *stage) register() {
	s.truth.mu.Lock()
	defer s.truth.mu.Unlock()
	for _, w := range s.worlds {
		for _, c := range w.All() {
			if runtime.Ours(c, instance) {
				s.truth.apps[c.ID] = c.Labels[runtime.LabelApp]
			}
		}
	}
}

// strangersAreUntouched holds P9, whatever the calls were.
func (s *stage) strangersAreUntouched() {
	for id, one := range s.truth.strangers {
		if c, there := s.worlds[one.host].Container(id); !there || c.Status != one.status {
			s.breaks("P9", "the stranger's container %.8s is %q, was %q", id, c.Status, one.status)
		}
	}
}

// peak holds P2 by what runs: so many runs that Fairlead began, as max allows, whatever others started.
func (s *stage) peak(a appLine) {
	limit := a.max + s.surge(a)
	running := 0
	for _, w := range s.worlds {
		for _, c := range w.Running(a.name) {
			if runtime.Ours(c, instance) && !s.truth.isForeign(c) {
				running++
			}
		}
	}
	if running > limit {
		s.breaks("P2", "%d containers of %s run that Fairlead started, max %d", running, a.name, a.max)
	}
}

func (g *generation) compare() {
	owner := map[string]string{}
	address := map[pool.Endpoint]pool.Row{}
	now := map[string]pool.Row{}
	for _, app := range g.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			now[row.ID] = row
			if row.Container != "" && owner[row.Container] != "" {
				g.stage.breaks("P3", "container %.8s is in the rows %s and %s", row.Container, owner[row.Container], row.ID)
			}
			owner[row.Container] = row.ID
			g.row(app, row, address)
		}
		g.notTooMany(app)
	}
	for id, row := range g.seen.rows {
		if _, there := now[id]; !there {
			g.reaped(row)
		}
	}
	g.events()
	g.leases()
	g.seen.rows = now
	g.save()
}

// row compares one row with the truth, and with itself a moment ago.
func (g *generation) row(app *pool.App, row pool.Row, address map[pool.Endpoint]pool.Row) {
	c, there := g.truly(row)
	if row.State() == pool.Ready && row.Start() != "" {
		g.proven(row)
	}
	if row.Serves() {
		if g.stage.truth.told(run{row.Container, row.Start()}) {
			g.stage.breaks("P5", "%s %s serves in a start that is known to be over", app.Name, row.ID)
		}
		endpoint := row.Upstream().Endpoints[port]
		if other, taken := address[endpoint]; taken {
			g.stage.breaks("P5", "%s %s and %s serve at one address, %s", app.Name, row.ID, other.ID, endpoint.Addr)
		}
		address[endpoint] = row
	}
	g.doubted(app, row, c, there)
	before, known := g.seen.rows[row.ID]
	if !known || before.State() != pool.Ready || !there || c.Start != before.Start() || !runsOrSleeps(c) {
		return
	}
	if row.State() == pool.Restarting || row.State() == pool.Ready && row.Start() != before.Start() {
		g.stage.breaks("P8", "%s %s left its start, which runs", app.Name, row.ID)
	}
}

func runsOrSleeps(c runtime.Container) bool { return c.Runs() || c.Frozen() }

// truly is the row's container, whichever engine is behind the address now.
func (g *generation) truly(row pool.Row) (runtime.Container, bool) {
	for _, w := range g.stage.worlds {
		if c, there := w.Container(row.Container); there {
			return c, true
		}
	}
	return runtime.Container{}, false
}

// proven holds P3's second half: nobody is let in before the app listens.
func (g *generation) proven(row pool.Row) {
	stamp, _, _ := strings.Cut(row.Start(), "#")
	began, err := time.Parse(time.RFC3339Nano, stamp)
	boot := g.stage.script.app(g.stage.truth.appOf(row.Container)).boot
	if err == nil && row.Since().Before(began.Add(boot)) {
		g.stage.breaks("P3", "%s was ready %s after its start, and boots for %s", row.ID, row.Since().Sub(began), boot)
	}
}

func (s script) app(name string) appLine {
	for _, a := range s.apps {
		if a.name == name {
			return a
		}
	}
	return appLine{}
}

// forgiving is how long a replica that answers may stay suspect.
const forgiving = 10 * time.Second

// doubted holds P8: a replica that runs and answers does not stay out of the pick, unless its engine told of a death or a
// pause and fell silent then: nobody else could take that back.
func (g *generation) doubted(app *pool.App, row pool.Row, c runtime.Container, there bool) {
	fine := there && c.Runs() && c.Start == row.Start() && !g.stage.isAlien(int(row.Host[1]-'0'))
	told := row.Doubt && (strings.HasPrefix(row.Suspect(), "pause") || row.Suspect() == "die")
	if row.State() != pool.Ready || row.Suspect() == "" || !fine || told {
		delete(g.seen.suspect, row.ID)
		return
	}
	since, known := g.seen.suspect[row.ID]
	if !known {
		g.seen.suspect[row.ID] = time.Now()
	} else if time.Since(since) > forgiving {
		g.stage.breaks("P8", "%s %s is suspect (%s) for %s, and runs", app.Name, row.ID, row.Suspect(), time.Since(since))
	}
}

// notTooMany holds P3 above max: what is readopted there is no replica.
func (g *generation) notTooMany(app *pool.App) {
	snap := app.Snapshot()
	ready := 0
	for _, row := range snap.Rows {
		if row.State() == pool.Ready && !row.Surge {
			ready++
		}
	}
	if ready > snap.Policy.Max+g.stage.truth.slackOf(app.Name) {
		g.stage.breaks("P3", "%d replicas of %s are ready, max %d", ready, app.Name, snap.Policy.Max)
	}
}

// reaped holds P1: a row goes only if its container is gone. One without a container yet has a name to go by.
func (g *generation) reaped(row pool.Row) {
	for _, w := range g.stage.worlds {
		for _, c := range w.All() {
			switch {
			case row.Container != "" && c.ID == row.Container:
				g.stage.breaks("P1", "row %s is gone, its container %.8s is %s", row.ID, c.ID, c.Status)
			case row.Container == "" && c.Labels[runtime.LabelReplica] == row.ID && runtime.Ours(c, instance) && !g.stage.truth.isForeign(c):
				g.stage.breaks("P2", "row %s is gone, its create made %.8s", row.ID, c.ID)
			}
		}
	}
}

// events holds P3: one readoption a run, and none above max.
func (g *generation) events() {
	events, _ := g.journal.Since(g.seen.events)
	for _, e := range events {
		g.seen.events = e.Seq
		if e.Word != journal.ReplicaReadopted {
			continue
		}
		snap := g.pool.App(e.App).Snapshot()
		place := slices.IndexFunc(snap.Rows, func(r pool.Row) bool { return r.ID == e.Replica })
		if place < 0 {
			continue
		}
		if place >= snap.Policy.Max+g.stage.surge(g.stage.script.app(e.App)) {
			g.stage.breaks("P3", "%s %s was readopted with %d rows before it, max %d", e.App, e.Replica, place, snap.Policy.Max)
		}
		g.once(e, snap.Rows[place])
	}
}

func (g *generation) once(e journal.Event, row pool.Row) {
	if row.State() != pool.Ready || !row.Since().Equal(e.Time) || g.stage.script.app(e.App).sleep == "pause" {
		return // it is in another start by now, or was woken in the same one
	}
	r := run{row.Container, row.Start()}
	if g.stage.truth.ready[r]++; g.stage.truth.ready[r] > 1 {
		g.stage.breaks("P3", "%s %s was readopted twice in one start", e.App, e.Replica)
	}
}

// surge is how far above max an app may be: by a replacement, and by what a kill left behind.
func (s *stage) surge(a appLine) int {
	s.truth.mu.Lock()
	defer s.truth.mu.Unlock()
	surge := s.truth.slack[a.name]
	if s.truth.replaced[a.name] && !a.stopFirst {
		surge++
	}
	return surge
}

// hold notes a lease that is in use.
func (g *generation) hold(lease pool.Lease) (release func()) {
	key := &lease
	g.stage.mu.Lock()
	defer g.stage.mu.Unlock()
	g.seen.holds[key] = time.Now()
	return func() {
		g.stage.mu.Lock()
		defer g.stage.mu.Unlock()
		delete(g.seen.holds, key)
	}
}

// leases holds P5 and P7 for what is in use: its connections end with its start, and it is not idle.
func (g *generation) leases() {
	g.stage.mu.Lock()
	holds := make(map[*pool.Lease]time.Time, len(g.seen.holds))
	for lease, since := range g.seen.holds {
		holds[lease] = since
	}
	g.stage.mu.Unlock()
	for lease, since := range holds {
		app := lease.App()
		if lease.Upstream.Alive() && g.stage.truth.told(run{lease.Upstream.Container, lease.Upstream.Start}) {
			g.stage.breaks("P5", "a connection of %s outlives its start", app.Name)
		}
		row, there := app.Snapshot().Row(lease.Replica.ID)
		if there && row.State() == pool.Draining && row.Cause == "idle" && row.Since().After(since) {
			g.stage.breaks("P7", "%s %s went idle with a lease", app.Name, row.ID)
		}
	}
}
