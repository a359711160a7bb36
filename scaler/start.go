package scaler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

const (
	createBound = 30 * time.Second
	startBound  = 60 * time.Second
)

// start makes and starts the container of a reserved row, and settles the row: ready, or failed.
func (s *Scaler) start(ctx context.Context, app *pool.App, row pool.Row) {
	ctx, cancel := whileRow(ctx, row)
	defer cancel()
	began := time.Now()
	host, order, err := s.order(app, row)
	if err != nil {
		s.failed(ctx, app, row, nil, "cannot start", err)
		return
	}
	if err := s.pull(ctx, host, order); err != nil {
		s.failed(ctx, app, row, host, "pull failed", err)
		return
	}
	s.Metrics.phase(app.Name, "pull", began)
	maker, err := s.maker(ctx, host)
	if err != nil {
		s.failed(ctx, app, row, host, "create failed", err)
		return
	}
	defer s.abandon(ctx, row, host, order.Spec.Name)
	container, err := s.create(ctx, host, order.Spec)
	if err != nil {
		s.failed(ctx, app, row, host, "create failed", err)
		return
	}
	row, ok := s.created(ctx, app, row, host, container, order.Hash, maker)
	if !ok {
		return // the row is gone; the container is discovered by the next look
	}
	s.boot(ctx, app, row, host, began)
}

// whileRow ends the context when the row is removed, by whomever.
func whileRow(ctx context.Context, row pool.Row) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go cancelWith(ctx, cancel, row.Gone())
	return ctx, cancel
}

func cancelWith(ctx context.Context, cancel context.CancelFunc, gone <-chan struct{}) {
	select {
	case <-gone:
		cancel()
	case <-ctx.Done():
	}
}

func (s *Scaler) order(app *pool.App, row pool.Row) (*runtime.Host, Order, error) {
	host, err := s.Fleet.Host(row.Host)
	if err != nil {
		return nil, Order{}, err
	}
	order, err := s.Specs.Spec(app.Name, row.ID, host)
	return host, order, err
}

// pull is shared by all replicas that want the image on the host, by the same policy, at the same time. It outlives each of
// them.
func (s *Scaler) pull(ctx context.Context, host *runtime.Host, order Order) error {
	done := s.pulls.DoChan(host.Name+" "+string(order.Pull)+" "+order.Spec.Image, func() (any, error) {
		return nil, host.Engine.Pull(context.WithoutCancel(ctx), order.Spec.Image, order.Pull)
	})
	select {
	case result := <-done:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// create asks for the container and settles a lost reply by its name: the slot is free only when the engine says 404
// after the create's own deadline.
func (s *Scaler) create(ctx context.Context, host *runtime.Host, spec runtime.Spec) (runtime.Container, error) {
	asked, cancel := outliving(ctx, createBound)
	defer cancel()
	began := time.Now()
	id, err := host.Engine.Create(asked, spec)
	if err == nil {
		return runtime.Container{ID: id, Labels: spec.Labels}, nil
	}
	if refused(err) {
		return runtime.Container{}, err
	}
	return s.settleCreate(ctx, host, spec, began.Add(createBound), err)
}

// refused errors say with certainty that nothing was made.
func refused(err error) bool {
	return errors.Is(err, runtime.ErrNotFound) || errors.Is(err, runtime.ErrInvalid) || errors.Is(err, runtime.ErrUnsupported)
}

func (s *Scaler) settleCreate(ctx context.Context, host *runtime.Host, spec runtime.Spec, deadline time.Time, cause error) (runtime.Container, error) {
	for wait := backoff(100 * time.Millisecond); ; wait.sleep(ctx) {
		if ctx.Err() != nil {
			return runtime.Container{}, fmt.Errorf("create: %w", cause)
		}
		c, err := s.byName(ctx, host, spec.Name)
		switch {
		case err == nil && ourReplica(c, spec):
			return c, nil
		case err == nil && c.Name == spec.Name: // else the answer is about another container, and none
			return runtime.Container{}, fmt.Errorf("the name %s belongs to a stranger's container %.12s", spec.Name, c.ID)
		case errors.Is(err, runtime.ErrNotFound) && (errors.Is(cause, runtime.ErrConflict) || time.Now().After(deadline)):
			return runtime.Container{}, fmt.Errorf("create: %w", cause)
		}
	}
}

func (s *Scaler) byName(ctx context.Context, host *runtime.Host, name string) (runtime.Container, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return host.Engine.Inspect(ctx, name)
}

func ourReplica(c runtime.Container, spec runtime.Spec) bool {
	return c.Name == spec.Name && c.Labels[runtime.LabelInstance] == spec.Labels[runtime.LabelInstance] &&
		c.Labels[runtime.LabelReplica] == spec.Labels[runtime.LabelReplica]
}

// created settles the container's id into the row, before it is started. Its maker is who answered before the create:
// behind the address there may be another engine by now, whose 404 would be believed (P1). Should the container have
// been made by that one after all, the next look finds it there and learns the identity.
func (s *Scaler) created(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host, c runtime.Container, hash, maker string) (pool.Row, bool) {
	if full, err := readiness.Inspect(ctx, host, c.ID); err == nil {
		c = full
	}
	return app.Settle(row.ID, 0, func(r *pool.Row) bool {
		r.Container, r.Identity, r.Spec, r.Volumes = c.ID, maker, hash, c.AnonymousVolumes > 0
		r.Main = runtime.MainPort(c)
		return true
	})
}

var (
	errNameless  = errors.New("the engine does not say which one it is")
	errExchanged = errors.New("another engine answers than the one that was looked at")
)

// maker says which engine is about to be asked for a container. It must be the one that was looked at: nobody knows yet
// what runs on another one (P2).
func (s *Scaler) maker(ctx context.Context, host *runtime.Host) (string, error) {
	identity := s.identity(ctx, host)
	if identity == "" {
		return "", errNameless
	}
	for _, view := range s.Hosts() {
		if view.Name == host.Name && view.Identity != "" && view.Identity != identity {
			return "", errExchanged
		}
	}
	return identity, nil
}

// identity asks who the engine is until it says so, or a create's time is over: a row without it could never be told
// from one on another engine, and so never be reaped.
func (s *Scaler) identity(ctx context.Context, host *runtime.Host) string {
	ctx, cancel := context.WithTimeout(ctx, createBound)
	defer cancel()
	for wait := backoff(100 * time.Millisecond); ctx.Err() == nil; wait.sleep(ctx) {
		if identity, err := identityOf(ctx, host.Engine); err == nil {
			return identity
		}
	}
	return ""
}

// identityOf prefers what an engine remembers of itself; its whole Info takes Podman tens of milliseconds.
func identityOf(ctx context.Context, engine runtime.Engine) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if known, ok := engine.(interface {
		Identity(ctx context.Context) (string, error)
	}); ok {
		return known.Identity(ctx)
	}
	info, err := engine.Info(ctx)
	return info.Identity, err
}

// wake starts the container of a sleeping row again.
func (s *Scaler) wake(ctx context.Context, app *pool.App, row pool.Row) {
	if row.Unit != "" {
		s.summon(ctx, app, row)
		return
	}
	ctx, cancel := whileRow(ctx, row)
	defer cancel()
	host, err := s.Fleet.Host(row.Host)
	if err != nil {
		s.failed(ctx, app, row, nil, "cannot start", err)
		return
	}
	s.boot(ctx, app, row, host, time.Now())
}

// boot starts the container, waits for readiness and settles.
func (s *Scaler) boot(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host, began time.Time) {
	engineBegan := time.Now()
	if err := s.startContainer(ctx, app, host, row.Container); err != nil {
		if errors.Is(err, runtime.ErrNotFound) {
			err = s.resumed(ctx, host, row.Container, err)
		}
		s.failed(ctx, app, row, host, "start failed", err)
		return
	}
	s.Metrics.phase(app.Name, "engine", engineBegan)
	readyBegan := time.Now()
	up, err := s.await(ctx, app, row, host)
	if err != nil {
		s.failed(ctx, app, row, host, "not ready", err)
		return
	}
	s.Metrics.phase(app.Name, "ready", readyBegan)
	s.started(app, row, up, began)
}

// started puts the row into routing.
func (s *Scaler) started(app *pool.App, row pool.Row, up *pool.Upstream, began time.Time) {
	settled, ok := app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() != pool.Starting {
			return false // it was drained meanwhile
		}
		r.BecomeReady(up)
		return true
	})
	if ok {
		app.SetFailure(nil)
		s.Metrics.phase(app.Name, "total", began)
		s.record(journal.ReplicaStarted, app, settled, "")
	}
}

// startContainer starts, and wakes a paused one.
func (s *Scaler) startContainer(ctx context.Context, app *pool.App, host *runtime.Host, id string) error {
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	if c, err := readiness.Inspect(ctx, host, id); err == nil && c.Status == runtime.StatusPaused {
		return s.settleStart(ctx, host, id, host.Engine.Unpause(ctx, id))
	}
	err := s.settleStart(ctx, host, id, host.Engine.Start(ctx, id))
	if err == nil || refused(err) || app.Snapshot().Failure != nil {
		return err
	}
	backoff(stumble).sleep(ctx)
	return s.settleStart(ctx, host, id, host.Engine.Start(ctx, id))
}

// stumble is the time before the same container is started a second time, unless the app's last start failed, too.
// Engines trip over the networks of containers that come and go at the same moment: a chain of iptables is gone, an
// address is taken.
const stumble = 500 * time.Millisecond

// settleStart finds out what a start came to whose reply was an error, or was lost. A silent engine is asked until the
// start's time is over.
func (s *Scaler) settleStart(ctx context.Context, host *runtime.Host, id string, failure error) error {
	if failure == nil {
		return nil
	}
	for wait := backoff(100 * time.Millisecond); ctx.Err() == nil; wait.sleep(ctx) {
		c, err := readiness.Inspect(ctx, host, id)
		switch {
		case err == nil && c.Runs():
			return nil
		case err == nil, errors.Is(err, runtime.ErrNotFound):
			return failure
		}
	}
	return failure
}
