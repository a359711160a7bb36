package l7

import (
	"context"
	"errors"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/trust"
)

// Tell is the story of one exchange, whatever front end read it: it finds the route, is admitted to a replica, sends
// the request out, brings the response back, and gives the replica back. It returns when the answer has ended, or what the
// connection was upgraded to, unless that outlives it.
func (f *Front) Tell(ctx context.Context, x *Exchange) {
	s := f.begin(ctx, x)
	if s == nil {
		return
	}
	defer s.end()
	if s.challenged() {
		return
	}
	if err := s.find(); err != nil {
		s.refuse(err)
		return
	}
	if probes(x) {
		s.probe(ctx)
		return
	}
	if s.preflight() {
		return
	}
	if err := s.limited(); err != nil {
		s.refuse(err)
		return
	}
	s.prepare()
	for s.try(ctx) {
	}
}

// try is an attempt at one replica. It says whether another follows.
func (s *story) try(ctx context.Context) (again bool) {
	lease, err := s.admit(ctx)
	if err != nil {
		s.refuse(err)
		return false
	}
	if err = s.visit(ctx, lease); err == nil {
		return false
	}
	if s.mayRepeat(ctx, lease, err) {
		return true
	}
	s.refuse(err)
	return false
}

// visit is an attempt with what belongs around it. The lease is given back whatever happens, unless an upgrade has it.
func (s *story) visit(ctx context.Context, lease pool.Lease) error {
	defer func() {
		if !s.handed {
			lease.Release()
		}
	}()
	span := s.beginAttempt(lease)
	s.trying = true
	err := s.attempt(ctx, lease)
	s.trying = false
	endAttempt(span, err)
	if isLoss(err) {
		h1.MayBlock(ctx)
		s.front.reporter.Failed(ctx, lease, err) // the look settles before anything else is dialled (P5)
	}
	return err
}

// turnAway answers a request that a front end could not take whole.
func (f *Front) turnAway(ctx context.Context, x *Exchange, why error) {
	s := f.begin(ctx, x)
	if s == nil {
		return
	}
	defer s.end()
	s.refuse(why)
}

// attempt sends the request to one replica. It returns nil when the visitor has an answer, be it a broken one, and an
// error while nothing was sent to him yet.
func (s *story) attempt(ctx context.Context, lease pool.Lease) error {
	endpoint := lease.Endpoint(s.route.app.port)
	if !endpoint.Addr.IsValid() {
		endpoint = lease.Main() // made from an earlier configuration: it serves where it listens
	}
	if !endpoint.Addr.IsValid() {
		return errNoEndpoint
	}
	s.record.replica = lease.Replica.ID
	target := h1.Target{
		Key:  lease.Upstream,
		Addr: endpoint.Addr, Direct: endpoint.Direct, Ended: lease.Upstream.Ended(),
		TLS: lease.App().Snapshot().Policy.TLS,
	}
	body := newOutgoingBody(s.x)
	response, err := s.client(ctx).Do(ctx, target, s.request(body), s.relays)
	if err != nil {
		body.await(s.failed(err))
		s.troubled(lease, err)
		if ctx.Err() != nil || errors.Is(err, errGone) {
			return errGone
		}
		return err
	}
	lease.Replica.Untroubled()
	defer body.await(true)
	defer response.Body.Close()
	if conn, early := response.Hijack(); conn != nil {
		return s.upgrade(lease, response, conn, early)
	}
	return s.bringBack(ctx, lease, response)
}

// client speaks the app's protocol. An upgrade is HTTP/1.1's, whatever the app speaks otherwise (case B089).
func (s *story) client(ctx context.Context) client {
	if s.route.app.h2c && s.protocols == "" {
		h1.MayBlockAlways(ctx) // others read for it
		return s.front.h2c
	}
	return s.front.client
}

type client interface {
	Do(context.Context, h1.Target, *h1.Request, func(int, fields.List) error) (*h1.Response, error)
}

// isLoss says whether an attempt failed for a reason that speaks against the replica. What an app said, however wrong,
// is none, and neither is what the visitor did, or what we could not do: a replica that is out for our want of descriptors
// would have its visitors wait, each of whom holds one.
func isLoss(err error) bool {
	if err == nil {
		return false
	}
	var failure *h1.Error
	if !errors.As(err, &failure) || relay.Short(err) || errors.Is(err, trust.ErrRefused) {
		return false
	}
	for _, other := range []error{h1.ErrRequest, h1.ErrRequestBody, h1.ErrResponse, h1.ErrHeaderTooLarge, h1.ErrUpgrade, h1.ErrClosed} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}
