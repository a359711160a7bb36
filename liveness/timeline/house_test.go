package timeline

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/liveness"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
	"github.com/fairlead/fairlead/scaler"
)

// house is one Fairlead without its front: what the daemon wires, over simulated engines.
type house struct {
	t       *testing.T
	hosts   []*runtime.Host
	engines []*simulated.Engine
	fleet   *runtime.Fleet
	pool    *pool.Pool
	journal *journal.Journal
	keeper  *liveness.Keeper
	scaler  *scaler.Scaler
	network simulated.Network
	dials   atomic.Int32                  // of readiness checks and other probes
	frozen  atomic.Pointer[chan struct{}] // what the loops of all apps wait for, if anything

	stop     context.CancelFunc
	ctx      context.Context
	loops    sync.WaitGroup
	visitors sync.WaitGroup
}

// live runs a test in a bubble, with a house over so many hosts that has begun its work. At the end all faults are
// lifted, and everything that was begun must end: the bubble waits for the last goroutine.
func live(t *testing.T, hosts int, test func(t *testing.T, h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { within(t, test, worlds(hosts)...) })
}

func within(t *testing.T, test func(t *testing.T, h *house), worlds ...*simulated.World) {
	h := build(t, worlds...)
	h.open()
	defer h.close()
	test(t, h)
}

func worlds(n int) (all []*simulated.World) {
	for i := range n {
		all = append(all, simulated.NewWorld(simulated.Options{Seed: i}))
	}
	return all
}

// build makes a house that has not begun its work. Its hosts are h0, h1, ….
func build(t *testing.T, worlds ...*simulated.World) *house {
	log := slog.New(slog.DiscardHandler)
	h := &house{t: t, pool: pool.New(), journal: journal.New(log), network: worlds}
	for i, world := range worlds {
		engine := simulated.New("main", world)
		h.engines = append(h.engines, engine)
		h.hosts = append(h.hosts, &runtime.Host{Name: fmt.Sprintf("h%d", i), Engine: engine,
			Reach: runtime.Reach{Mode: runtime.ReachAddress}})
	}
	h.fleet = runtime.NewFleet(h.hosts...)
	checker := readiness.Checker{Prober: probe.Prober{Dial: h.probes}}
	h.scaler = &scaler.Scaler{Fleet: h.fleet, Instance: "main", Checker: checker, Specs: specs{}, Hosts: h.views,
		Journal: h.journal, Log: log, Previous: &scaler.Previous{}}
	h.keeper = liveness.New(liveness.Options{Pool: h.pool, Fleet: h.fleet, Instance: "main", Checker: checker,
		Journal: h.journal, Log: log, Farewell: h.scaler.KeepOutput})
	return h
}

// probes dials as readiness checks do.
func (h *house) probes(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	h.dials.Add(1)
	return h.network.Dial(ctx, addr)
}

// open begins the work, with the apps that are there by then, and waits until every host that answers has been looked
// at.
func (h *house) open() {
	h.ctx, h.stop = context.WithCancel(context.Background())
	for _, app := range h.pool.Apps() {
		h.loops.Go(func() { h.scaler.Run(h.ctx, app) })
	}
	h.loops.Go(func() { h.keeper.Run(h.ctx) })
	synctest.Wait()
}

// kill is what remains of a Fairlead after kill -9: nothing is settled any more.
func (h *house) kill() {
	h.stop()
	ended := make(chan struct{})
	go func() {
		h.loops.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Hour):
		panic("something that was begun never ends\n" + h.story())
	}
}

func (h *house) close() {
	h.kill()
	h.visitors.Wait()
	for _, e := range h.engines {
		e.Heal()
		for _, c := range e.All() {
			_ = e.World().Unpause(c.ID) // its connections hang until then
			e.World().CloseConns(c.ID)
		}
	}
}

func (h *house) views() (views []scaler.HostView) {
	if thaw := h.frozen.Load(); thaw != nil {
		<-*thaw
	}
	rows := map[string]int{}
	for _, app := range h.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			rows[row.Host]++
		}
	}
	for _, s := range h.keeper.Hosts() {
		host, err := h.fleet.Host(s.Name)
		if err != nil {
			continue
		}
		views = append(views, scaler.HostView{Name: s.Name, Accounted: s.Accounted, Answers: s.Answers,
			Identity: s.Identity, Rows: rows[s.Name], Weight: host.Weight, Max: host.MaxContainers})
	}
	return views
}

// specs makes containers of an image that has the app's name.
type specs struct{}

func (specs) Spec(app, replica string, host *runtime.Host) (scaler.Order, error) {
	return scaler.Order{Spec: specOf(app, replica, host.Reach), Hash: "spec"}, nil
}

func specOf(app, replica string, reach runtime.Reach) runtime.Spec {
	return runtime.Spec{
		Name: runtime.ContainerName("main", app, replica), Image: image(app), Ports: reach.Ports([]int{8080}),
		Labels: map[string]string{runtime.LabelInstance: "main", runtime.LabelApp: app, runtime.LabelReplica: replica,
			runtime.LabelSpec: "spec"},
	}
}

func image(app string) string { return "localhost/" + app + ":latest" }

// policy is a plain one; edit changes it.
func policy(edit func(*pool.Policy)) pool.Policy {
	p := pool.Policy{Max: 1, Port: 8080, Ports: []int{8080}, Idle: -1, Drain: 30 * time.Second, StopGrace: 10 * time.Second,
		Ready: pool.Readiness{Timeout: time.Minute}, RestartGrace: 30 * time.Second, Spec: "spec"}
	if edit != nil {
		edit(&p)
	}
	return p
}

// add brings an app into the pool, and its image onto every host. No start is instant, or the journal might tell of a
// replacement before it tells what was replaced.
func (h *house) add(name string, img simulated.Image, edit func(*pool.Policy)) *pool.App {
	img.StartTime = cmp.Or(img.StartTime, 5*time.Millisecond)
	for _, e := range h.engines {
		e.World().SetImage(image(name), img)
	}
	app := pool.NewApp(name, policy(edit))
	h.pool.Add(app)
	if h.ctx != nil {
		h.loops.Go(func() { h.scaler.Run(h.ctx, app) })
	}
	return app
}
