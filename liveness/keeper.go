package liveness

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// Options of a Keeper. All but Interval, Metrics and Farewell must be set.
type Options struct {
	Pool     *pool.Pool
	Fleet    *runtime.Fleet
	Instance string
	Self     string // the container that Fairlead runs in, which is never adopted; empty: none
	Checker  readiness.Checker
	Journal  *journal.Journal
	Log      *slog.Logger
	Interval time.Duration // between two passes; 0 means 10 s
	Metrics  *Metrics      // may be nil
	// Farewell is told of a stopped container before it is removed: what it said last goes with it. May be nil.
	Farewell func(app string, host *runtime.Host, container string)
}

// Keeper looks and acts on what it sees.
type Keeper struct {
	Options
	asked    atomic.Uint64 // orders the looks
	tokens   atomic.Uint64 // names the probes
	hosts    hosts
	flights  flights
	bursts   bursts
	accused  accusations
	acts     tasks
	checkups checkups
	unready  unready

	absentees absentees
	// life bounds what outlives the request or the look that asked for it. It ends with Run.
	life context.Context
	end  context.CancelFunc
}

// New makes a Keeper that has seen nothing yet.
func New(o Options) *Keeper {
	if o.Interval <= 0 {
		o.Interval = 10 * time.Second
	}
	k := &Keeper{Options: o}
	k.life, k.end = context.WithCancel(context.Background())
	return k
}

// Run passes over all hosts at once, then every Interval, and meanwhile attends to the rows that something speaks
// against. It returns when ctx has ended and what it began has settled.
func (k *Keeper) Run(ctx context.Context) {
	defer k.acts.close()
	defer k.end()
	k.acts.Go(func() { k.attend(ctx) })
	k.acts.Go(func() { k.watchHealth(ctx) })
	for {
		began := time.Now()
		k.Pass(ctx, journal.Pass)
		select {
		case <-ctx.Done():
			return
		case <-time.After(k.pause(time.Since(began))):
		}
	}
}

// pause between two passes counts from the beginning of the last, so that a host that is silent for its whole bound does
// not delay the next look at the others.
func (k *Keeper) pause(took time.Duration) time.Duration {
	jittered := k.Interval - k.Interval/20 + rand.N(k.Interval/10+1)
	return max(jittered-took, k.Interval/10)
}

// Pass looks over all hosts once and settles what each says as it comes.
func (k *Keeper) Pass(ctx context.Context, why journal.Trigger) {
	ask := k.ask()
	_ = k.Fleet.Look(ctx, ask.queries, func(host string, o runtime.Outcome) {
		k.settle(ctx, host, ask, o, why)
	}) // that nobody answered is settled host by host
}

// LookOver passes over one host.
func (k *Keeper) LookOver(ctx context.Context, name string, why journal.Trigger) {
	host, err := k.Fleet.Host(name)
	if err != nil {
		return
	}
	ask := k.ask()
	k.settle(ctx, name, ask, host.Look(ctx, ask.queries[name]), why)
}

// ask is the state of the pool at the moment of asking.
type ask struct {
	order   uint64
	queries map[string][]runtime.Query // by host
	rows    map[string]bool            // replica ids, those without a container yet, too
}

func (k *Keeper) ask() ask {
	a := ask{order: k.asked.Add(1), queries: map[string][]runtime.Query{}, rows: map[string]bool{}}
	for _, app := range k.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			a.rows[row.ID] = true
			if row.Container != "" {
				a.queries[row.Host] = append(a.queries[row.Host], query(row, a.order))
			}
		}
	}
	return a
}

func query(row pool.Row, order uint64) runtime.Query {
	return runtime.Query{Replica: row.ID, Container: row.Container, Start: row.Start(), Version: row.Version,
		Asked: order, Identity: row.Identity}
}

// settle applies one host's outcome. The host counts as having answered only when all that runs there is in the pool:
// told sooner, the scaler would start what is about to be adopted (P2).
func (k *Keeper) settle(ctx context.Context, host string, ask ask, o runtime.Outcome, why journal.Trigger) {
	if ctx.Err() != nil {
		return // we stopped, not the host
	}
	defer k.answered(host, ask.order, o)
	k.Metrics.look(host, o)
	report := o.Report
	if o.Err != nil {
		report = runtime.Report{Observations: unknown(ask.queries[host], o.Err)}
	}
	owners := k.owners()
	proven := map[string]bool{}
	for _, observation := range report.Observations {
		if app := owners[observation.Replica]; app != nil {
			proven[k.apply(app, host, report.Identity, observation, Seen{}, why)] = true
		}
	}
	for before := range proven { // now, since it makes new versions of rows
		k.learn(host, before, report.Identity)
	}
	for _, c := range report.Discovered {
		// A row that came after the asking is a create in flight; one that went since is another look's to judge.
		if id := c.Labels[runtime.LabelReplica]; !ask.rows[id] && owners[id] == nil {
			k.discovered(host, c, report.Identity)
		}
	}
	if o.Err == nil {
		k.seek(host, report.Identity)
	}
}

func unknown(queries []runtime.Query, err error) []runtime.Observation {
	observations := make([]runtime.Observation, len(queries))
	for i, q := range queries {
		observations[i] = runtime.Observation{Query: q, Cause: err.Error()}
	}
	return observations
}

// owners maps replica ids to their apps.
func (k *Keeper) owners() map[string]*pool.App {
	owners := map[string]*pool.App{}
	for _, app := range k.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			owners[row.ID] = app
		}
	}
	return owners
}
