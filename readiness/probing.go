package readiness

import (
	"context"
	"errors"

	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/trust"
)

// probe repeats the policy's check until it passes, while the engine is asked whether the container still runs.
func (c Checker) probe(ctx context.Context, host *runtime.Host, up *pool.Upstream, policy *pool.Policy) error {
	check := checkOf(up, policy)
	if policy.Ready.Health {
		check.Kind = probe.Health // by inspects: Podman's listing has no health (case B035)
		check.Status = func(ctx context.Context) (string, error) {
			container, err := Inspect(ctx, host, up.Container)
			return container.Health, err
		}
	}
	return c.Prober.Until(ctx, check, probe.Watch{
		Alive: func(ctx context.Context) error { return ended(ctx, host, up, policy) },
	})
}

// ended reports what is certain: that the container exited, is gone, or is not where it was asked. Whatever the engine
// fails to say is no end.
func ended(ctx context.Context, host *runtime.Host, up *pool.Upstream, policy *pool.Policy) error {
	now, err := Locate(ctx, host, up.Container, policy)
	switch {
	case terminal(err):
		return err
	case err == nil && moved(up, now):
		return ErrMoved
	default:
		return nil
	}
}

// Once makes one attempt at a known upstream, without asking any engine: it tells whether the app still answers there.
func (c Checker) Once(ctx context.Context, up *pool.Upstream, policy *pool.Policy) error {
	return answered(c.Prober.Once(ctx, checkOf(up, policy)))
}

// answered takes an app that there is no TLS with for one that is there: its visitors are told why, and no restart and no
// other replica mends it. To become ready it has to be one that counts, though: a replacement with a wrong certificate is
// none.
func answered(err error) error {
	if errors.Is(err, trust.ErrRefused) {
		return nil
	}
	return err
}

func checkOf(up *pool.Upstream, policy *pool.Policy) probe.Check {
	endpoint, known := up.Endpoints[policy.CheckPort()]
	if !known {
		endpoint = up.Endpoints[up.Main] // made from an earlier configuration
	}
	check := probe.Check{Kind: probe.TCP, Addr: endpoint.Addr, Direct: endpoint.Direct}
	check.Send, check.Expect = policy.Ready.Send, policy.Ready.Expect
	switch {
	case policy.Ready.UDP:
		check.Kind = probe.UDP
	case policy.Ready.Path != "":
		check.Kind, check.Path = probe.HTTP, policy.Ready.Path
	case policy.Ready.Speaks:
		check.Kind = probe.Speaks
	}
	overTLS(&check, policy)
	return check
}

// overTLS asks an app that speaks TLS as visitors' requests do, by the name that it is known by.
func overTLS(check *probe.Check, policy *pool.Policy) {
	if check.TLS = policy.TLS; check.TLS != nil {
		check.Host = check.TLS.ServerName
	}
}
