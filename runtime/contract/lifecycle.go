package contract

import (
	"io"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

func saysWhatItIs(_ *testing.T, b bench) {
	first, err := b.Engine.Info(b.ctx)
	b.must("info", err)
	if first.Kind == "" || first.Release == "" || first.Identity == "" {
		b.Errorf("want kind, release and identity; got %+v", first)
	}
	if again := b.identity(); again != first.Identity {
		b.Errorf("identity changed from %q to %q", first.Identity, again)
	}
	report, err := b.Engine.ReplicaLiveness(b.ctx, nil)
	b.must("look at nothing", err)
	if report.Identity != first.Identity {
		b.Errorf("a look says %q, info says %q", report.Identity, first.Identity)
	}
}

func livesAndEnds(_ *testing.T, b bench) {
	spec := b.spec("r1")
	id := b.create(spec)
	c := b.inspect(spec.Name)
	if c.ID != id || c.Name != spec.Name || c.Status != runtime.StatusCreated || c.Start != "" {
		b.Errorf("created: %+v", c)
	}
	if !runtime.Ours(c, b.Instance) {
		b.Errorf("not recognised as ours: %+v", c)
	}
	b.must("stop what never ran", b.Engine.Stop(b.ctx, id, 0))
	b.must("start", b.Engine.Start(b.ctx, id))
	b.must("start what runs", b.Engine.Start(b.ctx, id))
	first := b.served(id)
	if !first.Runs() || first.Start == "" {
		b.Errorf("started: %+v", first)
	}
	b.want("remove what runs", b.Engine.Remove(b.ctx, id, false), runtime.ErrStillRunning)
	b.must("stop", b.Engine.Stop(b.ctx, id, grace))
	b.must("stop what stands", b.Engine.Stop(b.ctx, id, grace))
	if c := b.inspect(id); c.Status != runtime.StatusExited || c.ExitCode != 0 || c.FinishedAt == "" {
		b.Errorf("stopped: %+v", c)
	}
	b.must("start again", b.Engine.Start(b.ctx, id))
	if second := b.served(id); second.Start == first.Start || second.Start == "" {
		b.Errorf("another run has start %q like the first", second.Start)
	}
	b.must("stop again", b.Engine.Stop(b.ctx, id, grace))
	b.must("remove", b.Engine.Remove(b.ctx, id, false))
	b.must("remove what is gone", b.Engine.Remove(b.ctx, id, false))
	b.must("remove what is gone by force", b.Engine.Remove(b.ctx, id, true))
	_, err := b.Engine.Inspect(b.ctx, id)
	b.want("inspect what is gone", err, runtime.ErrNotFound)
}

func exitCodeAndLogs(_ *testing.T, b bench) {
	spec := b.spec("r1")
	spec.Command = b.Exit(3)
	id := b.create(spec)
	b.must("start", b.Engine.Start(b.ctx, id))
	b.eventually("exit", func() bool { return b.inspect(id).Stands() })
	o := b.look(id, b.identity())
	b.verdict(o, runtime.Stopped)
	if o.Container.ExitCode != 3 {
		b.Errorf("want exit code 3, got %+v", o.Container)
	}
	logs, err := b.Engine.Logs(b.ctx, id, runtime.LogOptions{Tail: 5})
	b.must("logs", err)
	defer logs.Close()
	said, err := io.ReadAll(logs)
	b.must("read logs", err)
	if text := string(said); !strings.Contains(text, b.Says) || strings.ContainsRune(text, 0) {
		b.Errorf("want %q in plain bytes, got %q", b.Says, text)
	}
}

func pauses(_ *testing.T, b bench) {
	info, err := b.Engine.Info(b.ctx)
	b.must("info", err)
	id := b.serving("r1").ID
	if !info.CanPause {
		b.want("pause", b.Engine.Pause(b.ctx, id), runtime.ErrUnsupported)
		b.verdict(b.look(id, info.Identity), runtime.Running)
		return
	}
	before := b.inspect(id)
	b.must("pause", b.Engine.Pause(b.ctx, id))
	b.must("pause what is paused", b.Engine.Pause(b.ctx, id))
	b.verdict(b.look(id, info.Identity), runtime.Paused)
	b.must("unpause", b.Engine.Unpause(b.ctx, id))
	b.must("unpause what runs", b.Engine.Unpause(b.ctx, id))
	o := b.look(id, info.Identity)
	b.verdict(o, runtime.Running)
	if o.Container.Start != before.Start {
		b.Errorf("a pause is no other start: %q became %q", before.Start, o.Container.Start)
	}
	b.must("pause", b.Engine.Pause(b.ctx, id))
	b.must("stop what is paused", b.Engine.Stop(b.ctx, id, grace))
	b.verdict(b.look(id, info.Identity), runtime.Stopped)
}
