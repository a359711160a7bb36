package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/certs"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/l4"
	"github.com/fairlead/fairlead/l7"
	"github.com/fairlead/fairlead/liveness"
	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/scaler"
)

// Options of a run.
type Options struct {
	Source  conf.Source
	Version string
	Log     *slog.Logger
}

// daemon is one run of Fairlead.
type daemon struct {
	Options
	config  atomic.Pointer[conf.Config]
	pool    *pool.Pool
	fleet   *runtime.Fleet
	journal *journal.Journal
	keeper  *liveness.Keeper
	scaler  *scaler.Scaler
	front   *l7.Front
	l4      *l4.Front
	hosts   *hosts
	apps    *apps
	certs   *certs.Manager
	http    *listeners
	https   *listeners
	state   *state
	sockets inherited
	access  *accessLog // nil: none
	spans   *spans     // nil: none
	watcher *conf.Watcher
	log     *slog.Logger
	found   map[string]conf.Host // by a search, when none is configured
	leaving atomic.Bool
	fatal   chan error
	metrics *prometheus.Registry

	reloading sync.Mutex // one reload at a time
}

// Run serves until ctx ends or SIGTERM or SIGINT comes, and then shuts down in order. A second signal ends it at once.
// The error is nil after an orderly end.
func Run(ctx context.Context, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	d, config, err := build(o)
	if err != nil {
		return err
	}
	saved, err := d.state.load(d.log)
	if err != nil {
		return err
	}
	defer d.access.close()
	defer d.spans.close(d.log)
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	if err := d.apply(working, config); err != nil {
		return err
	}
	saved = saved.at(d.fleet.Names())
	restore(d.pool, saved)
	for _, host := range saved.Hosts {
		d.keeper.Account(host)
	}
	if err := d.openAdmin(working, config); err != nil {
		return err
	}
	var work sync.WaitGroup
	work.Go(func() { d.look(working) })
	work.Go(func() { d.keepState(working) })
	work.Go(func() { d.certs.Run(working) })
	go d.followConfig(working)
	d.followMoves(working)
	d.log.Info("listening", "http", d.http.addresses(), "https", d.https.addresses(), "l4", d.l4.Addresses(),
		"admin", config.Listen.Admin, "apps", len(config.Apps))
	notify(sd.SdNotifyReady, d.log)
	go d.watchdog(working)
	select {
	case <-ctx.Done():
	case err = <-d.fatal:
	}
	notify(sd.SdNotifyStopping, d.log)
	stop() // the next signal kills
	d.shutdown(func() {
		stopWork()
		work.Wait()
		d.apps.loops.Wait()
	})
	return err
}

// look begins the passes when every host was tried once.
func (d *daemon) look(ctx context.Context) {
	d.hosts.settle(ctx)
	d.keeper.Run(ctx)
}

// build makes the parts and connects them; nothing runs yet.
func build(o Options) (*daemon, *conf.Config, error) {
	watcher := &conf.Watcher{}
	watcher.Mark(o.Source.Paths)
	config, err := conf.Load(o.Source)
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(config.State, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the state directory: %w", err)
	}
	kept, err := openState(config.State, config.Instance)
	if err != nil {
		return nil, nil, err
	}
	key, err := l7.LoadKey(config.State)
	if err != nil {
		return nil, nil, err
	}
	access, err := openAccess(config.Log.Access)
	if err != nil {
		return nil, nil, err
	}
	spans, err := openSpans(config.Tracing, o.Version, o.Log)
	if err != nil {
		return nil, nil, err
	}
	d := &daemon{Options: o, sockets: inherit(), log: o.Log, pool: pool.New(), fleet: runtime.NewFleet(), journal: journal.New(o.Log),
		state: kept, watcher: watcher, access: access, spans: spans, fatal: make(chan error, 8), metrics: prometheus.NewRegistry()}
	d.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		admin.NewCollector(d.pool))
	access.count(d.metrics)
	d.connect(config, key)
	return d, config, nil
}

// connect tells the parts of one another.
func (d *daemon) connect(config *conf.Config, key *l7.Key) {
	checker := readiness.Checker{Prober: probe.Prober{}}
	d.scaler = &scaler.Scaler{
		Fleet: d.fleet, Instance: config.Instance, Checker: checker, Hosts: d.hostViews, Journal: d.journal, Log: d.log,
		Specs: specs{&d.config, config.Instance}, Metrics: scaler.NewMetrics(d.metrics), Previous: &scaler.Previous{},
	}
	d.keeper = liveness.New(liveness.Options{
		Pool: d.pool, Fleet: d.fleet, Instance: config.Instance, Self: runtime.Self(), Checker: checker, Journal: d.journal, Log: d.log,
		Interval: config.Reconcile, Metrics: liveness.NewMetrics(d.metrics), Farewell: d.scaler.KeepOutput,
	})
	d.certs = certs.New(certs.Options{Log: d.log})
	d.metrics.MustRegister(d.certs)
	d.front = l7.New(l7.Options{Pool: d.pool, Reporter: d.keeper, Key: key, Certificates: d.certs, Registerer: d.metrics,
		Log: d.log, Access: d.access.writer(), Tracer: d.spans.tracer()})
	d.l4 = l4.New(l4.Options{Pool: d.pool, Reporter: d.keeper, Registerer: d.metrics, Log: d.log, Access: d.access.writer()})
	d.apps = &apps{pool: d.pool, scaler: d.scaler}
	d.http = &listeners{protocol: "http", sockets: d.sockets, serve: d.front.Serve, fail: d.fail, wrap: d.hear}
	d.https = &listeners{protocol: "https", sockets: d.sockets, serve: d.serveTLS, fail: d.fail, wrap: d.l4.Share}
	d.hosts = &hosts{fleet: d.fleet, instance: config.Instance, log: d.log, refused: d.fail,
		joined: d.joined}
}

// joined looks over a host that was just connected, and follows its events for as long as it is configured.
func (d *daemon) joined(ctx context.Context, name string) {
	d.keeper.LookOver(ctx, name, journal.Pass)
	d.keeper.Follow(ctx, name)
}

// fail ends the run with an error.
func (d *daemon) fail(err error) {
	select {
	case d.fatal <- err:
	default:
	}
}
