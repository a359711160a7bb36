package simulation

import (
	"context"
	"fmt"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// soothing keeps to itself that something ended.
type soothing struct{ *seam }

func (e soothing) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	for i, o := range report.Observations {
		if o.Verdict == runtime.Stopped && o.Start != "" {
			report.Observations[i].Verdict = runtime.Unknown
		}
	}
	return report, err
}

// nervous closes the connections into a host that does not answer.
type nervous struct{ *seam }

func (e nervous) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	if err != nil {
		for _, app := range e.generation.pool.Apps() {
			for _, row := range app.Snapshot().Rows {
				if up := row.Upstream(); up != nil && row.Host == e.generation.hosts[e.host].Name {
					app.Settle(row.ID, 0, func(r *pool.Row) bool {
						r.Moved(pool.NewUpstream(up.Container, up.Start, up.Endpoints))
						return true
					})
				}
			}
		}
	}
	return report, err
}

// possessive takes what has our labels for ours, whatever its name.
type possessive struct{ *seam }

func (e possessive) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	if err != nil {
		return report, err
	}
	for _, c := range e.Engine.All() {
		if c.Labels[runtime.LabelInstance] == instance && !runtime.Ours(c, instance) {
			c.Labels[runtime.LabelReplica] = fmt.Sprintf("copy%.8s", c.ID)
			report.Discovered = append(report.Discovered, c)
		}
	}
	return report, err
}

// shortsighted sees no container that has no row.
type shortsighted struct{ *seam }

func (e shortsighted) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	report, err := e.seam.ReplicaLiveness(ctx, queries)
	report.Discovered = nil
	return report, err
}
