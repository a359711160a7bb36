package readiness

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
)

// longestCheck is what one check of a replica's health may take, however long the interval is.
const longestCheck = 5 * time.Second

// Healthy makes one check of a replica that serves, as the policy's Health says. No engine is asked.
func (c Checker) Healthy(ctx context.Context, up *pool.Upstream, policy *pool.Policy) error {
	endpoint := up.Endpoints[policy.CheckPort()]
	check := probe.Check{
		Kind: probe.HTTP, Addr: endpoint.Addr, Direct: endpoint.Direct, Path: policy.Health.Path,
		Timeout: min(longestCheck, policy.Health.Interval),
	}
	overTLS(&check, policy)
	return answered(c.Prober.Once(ctx, check))
}
