package contract

import (
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

func measures(_ *testing.T, b bench) {
	info, err := b.Engine.Info(b.ctx)
	b.must("info", err)
	id := b.serving("r1").ID
	if info.Rootless && !info.CgroupV2 {
		_, err := b.Engine.Stats(b.ctx, id)
		b.want("stats", err, runtime.ErrUnsupported)
		return
	}
	used, err := b.Engine.Stats(b.ctx, id)
	b.must("stats", err)
	if used.Memory <= 0 || used.Memory > 1<<30 || used.CPU <= 0 {
		b.Errorf("a demo app takes %+v", used)
	}
	_, err = b.Engine.Stats(b.ctx, nobody)
	b.want("stats of nobody", err, runtime.ErrNotFound)
}
