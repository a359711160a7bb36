package l7

import (
	"context"
	"errors"
	"time"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
)

// admit waits for a replica as long as the request may wait. Who leaves meanwhile costs nothing more: what goes on for
// him goes on for the app.
func (s *story) admit(ctx context.Context) (pool.Lease, error) {
	app := s.front.pool.App(s.route.app.name)
	if app == nil {
		return pool.Lease{}, errNoRoute // the configuration is on its way
	}
	if s.passing != nil {
		return s.glance(app)
	}
	if s.avoided == nil {
		if admission := app.Ask(s.guest); admission.Outcome == pool.Served {
			return admission.Lease, nil // as almost always, and nothing is set up for a wait
		}
	}
	h1.MayBlock(ctx)
	began := time.Now()
	held, done := s.held(ctx)
	defer done()
	admission := app.AwaitAgain(held, s.guest, s.avoided)
	if admission.Outcome == pool.Served {
		s.note(began, "served")
		return admission.Lease, nil
	}
	err := s.notServed(ctx, admission)
	s.note(began, outcomeOf(err))
	return pool.Lease{}, err
}

// held is the time that the request may wait, counted anew when it was lost.
func (s *story) held(ctx context.Context) (context.Context, func()) {
	until := s.until
	if until.IsZero() {
		until = time.Now().Add(s.patience())
	}
	if wait, ok := patienceGRPC(s.x); ok && s.record.began.Add(wait).Before(until) {
		until = s.record.began.Add(wait)
	}
	held, cancel := context.WithDeadline(ctx, until)
	stop := context.AfterFunc(s.front.patience, cancel)
	return held, func() { stop(); cancel() }
}

// patience is how long it waits for a replica: a navigation until the page, anything else to the app's limit.
func (s *story) patience() time.Duration {
	if s.navigation {
		return s.route.app.holdPage
	}
	return s.route.app.holdMax
}

// notServed says why: the visitor left, we are leaving, or the app is not there for him.
func (s *story) notServed(ctx context.Context, a pool.Admission) error {
	switch {
	case ctx.Err() != nil:
		return errGone
	case s.front.patience.Err() != nil && a.Outcome == pool.Wait:
		return errShuttingDown
	case s.lost != nil && a.Outcome == pool.Wait && !s.navigation:
		return s.lost // what it was waiting for is not what it came for
	}
	return &heldBack{outcome: a.Outcome, failure: a.Failure, ticket: a.Ticket}
}

// note counts what was held; nobody is held who is served at once.
func (s *story) note(began time.Time, outcome string) {
	if waited := time.Since(began); waited > time.Millisecond || outcome != "served" {
		s.front.metrics.held(s.route.app.name, outcome, began)
		s.tracing.held(began, outcome)
	}
}

func outcomeOf(err error) string {
	if errors.Is(err, errGone) {
		return "left"
	}
	return refuse(err).reason
}
