package l4

import (
	"context"
	"net/netip"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// glance is how often a held connection is asked whether its client still waits.
const glance = 500 * time.Millisecond

// waiting is a client, over TCP or UDP, that wants a replica.
type waiting struct {
	front   *Front
	app     *app
	source  netip.Addr
	until   time.Time      // zero: as long as the app's clients may be held
	lost    error          // what failed before; nil: nothing did
	avoided *pool.Upstream // of that failure
	watch   func(held context.Context, leave context.CancelCauseFunc)
	may     func() error // whether the client may wait at all; nil: yes
	held    time.Duration

	datagrams bool   // over UDP
	waits     func() // called before the waiting; nil: nothing is
}

// admit waits for a replica for as long as the client may wait, and ctx lasts. Leave ends ctx.
func (w *waiting) admit(ctx context.Context, leave context.CancelCauseFunc) (pool.Lease, error) {
	began := time.Now()
	app := w.front.pool.App(w.app.name)
	if app == nil {
		return pool.Lease{}, errNoRoute // the configuration is on its way
	}
	visitor := pool.Visitor{}
	if w.app.bySource {
		visitor.Source = sourceOf(w.source)
	}
	if w.avoided == nil {
		if admission := app.Admit(visitor); admission.Outcome == pool.Served {
			return admission.Lease, nil
		}
	}
	if w.datagrams {
		if !w.front.crowds.enter(w.app.name, w.source, w.app.crowd) {
			return pool.Lease{}, &heldBack{pool.Full, nil}
		}
		defer w.front.crowds.leave(w.app.name, w.source)
	}
	if err := w.mayWait(app); err != nil {
		return pool.Lease{}, err
	}
	if w.waits != nil {
		w.waits()
	}
	admission, err := w.hold(ctx, leave, app, visitor)
	w.held = time.Since(began)
	w.front.metrics.held(w.app.name, outcomeOf(admission, err), began)
	return admission.Lease, err
}

// mayWait asks whether this client may start the app. One that was connected already may.
func (w *waiting) mayWait(app *pool.App) error {
	if w.lost != nil {
		return nil
	}
	if w.may != nil {
		if err := w.may(); err != nil {
			return err
		}
	}
	if !sleeps(app) {
		return nil
	}
	if !w.front.wakes.allow(w.app.name, w.source, w.app.limit, time.Now()) {
		return errWakeLimit
	}
	w.front.metrics.wakes.WithLabelValues(w.app.name).Inc()
	return nil
}

// hold waits, unless the client leaves, the time is over or we shut down.
func (w *waiting) hold(ctx context.Context, leave context.CancelCauseFunc, app *pool.App, v pool.Visitor) (pool.Admission, error) {
	until := w.until
	if until.IsZero() {
		until = time.Now().Add(w.app.holdMax)
	}
	held, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	defer context.AfterFunc(w.front.patience, func() { leave(errShuttingDown) })()
	if w.watch != nil {
		go w.watch(held, leave)
	}
	admission := app.AwaitAgain(held, v, w.avoided)
	switch cause := context.Cause(ctx); {
	case admission.Outcome == pool.Served && cause != nil:
		admission.Lease.Release()
		return pool.Admission{}, cause
	case admission.Outcome == pool.Served:
		return admission, nil
	case cause != nil:
		return pool.Admission{}, cause
	case w.lost != nil && admission.Outcome == pool.Wait:
		return pool.Admission{}, w.lost // what it was waiting for is not what it came for
	}
	return admission, &heldBack{admission.Outcome, admission.Failure}
}

func outcomeOf(a pool.Admission, err error) string {
	if err != nil {
		return reason(err)
	}
	return a.Outcome.String()
}

// endpointOf is where a port of a leased replica answers. A route that came after the replica leads to it all the same
// where the container's own address is known.
func endpointOf(lease pool.Lease, key int) pool.Endpoint {
	if endpoint := lease.Endpoint(key); endpoint.Addr.IsValid() {
		return endpoint
	}
	port, _ := pool.OfUDP(key)
	for _, other := range lease.Upstream.Endpoints {
		if other.Direct {
			return pool.Endpoint{Addr: netip.AddrPortFrom(other.Addr.Addr(), uint16(port)), Direct: true}
		}
	}
	return pool.Endpoint{}
}
