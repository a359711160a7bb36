package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/fairlead/fairlead/runtime"
)

// Stats asks once, without the second that Docker takes to tell a rate.
func (e *Engine) Stats(ctx context.Context, id string) (runtime.Usage, error) {
	c, err := e.on(ctx, id)
	if err != nil {
		return runtime.Usage{}, err
	}
	answer, err := c.ContainerStatsOneShot(ctx, id)
	if err != nil {
		return runtime.Usage{}, explain("stats of "+id, err)
	}
	defer answer.Body.Close()
	var raw container.StatsResponse
	if err := json.NewDecoder(answer.Body).Decode(&raw); err != nil {
		return runtime.Usage{}, fmt.Errorf("stats of %s: %w", id, err)
	}
	return runtime.Usage{
		Memory: resident(raw.MemoryStats),
		CPU:    time.Duration(raw.CPUStats.CPUUsage.TotalUsage),
	}, nil
}

// resident leaves out the files that the kernel keeps in memory only for as long as nobody wants the room, as `docker
// stats` does: the key is cgroup v1's, then v2's.
func resident(raw container.MemoryStats) int64 {
	for _, key := range []string{"total_inactive_file", "inactive_file"} {
		if cache, ok := raw.Stats[key]; ok && cache < raw.Usage {
			return int64(raw.Usage - cache)
		}
	}
	return int64(raw.Usage)
}
