package podman

import (
	"context"
	"fmt"
	"time"

	"github.com/containers/podman/v5/pkg/bindings/containers"

	"github.com/fairlead/fairlead/runtime"
)

// Stats asks once. Rootless on cgroup v1 Podman has no numbers, and its Docker API makes some up.
func (e *Engine) Stats(ctx context.Context, id string) (runtime.Usage, error) {
	raw, err := e.info.Last(ctx, e.askInfo)
	if err != nil {
		return runtime.Usage{}, err
	}
	if raw.Host.Security.Rootless && raw.Host.CgroupsVersion != "v2" {
		return runtime.Usage{}, fmt.Errorf("stats of %s: rootless Podman measures only with cgroup v2: %w", id, runtime.ErrUnsupported)
	}
	bound, err := e.bindTo(ctx, id)
	if err != nil {
		return runtime.Usage{}, err
	}
	reports, err := containers.Stats(bound, []string{id}, new(containers.StatsOptions).WithStream(false))
	if err != nil {
		return runtime.Usage{}, explain("stats of "+id, err)
	}
	report := <-reports      // one, also when the context ends
	if report.Error != nil { // libpod sends an error that nothing can decode, so the reason is looked for
		if _, missing := e.inspect(ctx, id); missing != nil {
			return runtime.Usage{}, missing
		}
		return runtime.Usage{}, explain("stats of "+id, report.Error)
	}
	if len(report.Stats) != 1 {
		return runtime.Usage{}, fmt.Errorf("stats of %s: %d answers", id, len(report.Stats))
	}
	stats := report.Stats[0]
	return runtime.Usage{Memory: int64(stats.MemUsage), CPU: time.Duration(stats.CPUNano)}, nil
}
