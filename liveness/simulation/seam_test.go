package simulation

import (
	"context"
	"io"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// seam stands between one generation and one engine. It checks each call at the moment when it is made, and notes what
// the engine told.
type seam struct {
	*simulated.Engine
	generation *generation
	host       int
}

func (s *seam) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	if s.generation.dead.Load() {
		return "", errDead
	}
	app := spec.Labels[runtime.LabelApp]
	s.slot(ctx, "create", app, func(r pool.Row) bool { return r.ID == spec.Labels[runtime.LabelReplica] })
	defer s.generation.stage.truth.begin(app)()
	id, err := s.Engine.Create(ctx, spec)
	s.generation.stage.register() // also one whose reply was lost
	if s.generation.dead.Load() {
		return "", errDead
	}
	return id, err
}

func (s *seam) Start(ctx context.Context, id string) error {
	return s.starts(ctx, "start", id, func() error { return s.Engine.Start(ctx, id) })
}

func (s *seam) Unpause(ctx context.Context, id string) error {
	return s.starts(ctx, "unpause", id, func() error { return s.Engine.Unpause(ctx, id) })
}

func (s *seam) starts(ctx context.Context, what, id string, call func() error) error {
	return s.touches(what, id, func() error {
		app := s.generation.stage.truth.appOf(id)
		s.slot(ctx, what, app, func(r pool.Row) bool { return r.Container == id })
		defer s.generation.stage.truth.begin(app)()
		return call()
	})
}

// slot holds P2 at the moment of asking: the row stands, and so many others before it that max allows it. The rows of a
// snapshot stand in the order of their coming.
func (s *seam) slot(ctx context.Context, what, name string, its func(pool.Row) bool) {
	app := s.generation.pool.App(name)
	if app == nil || ctx.Err() != nil {
		return
	}
	snap := app.Snapshot()
	surge := 0
	for _, row := range snap.Rows {
		if row.Surge || row.State() == pool.Draining && row.Cause == "replaced" {
			surge = 1 // the replacement, or what it replaces
		}
	}
	for i, row := range snap.Rows {
		if its(row) {
			if i >= snap.Policy.Max+surge+s.generation.stage.truth.slackOf(name) {
				s.generation.stage.breaks("P2", "%s for %s %s asked with %d rows before it, max %d", what, name, row.ID, i, snap.Policy.Max)
			}
			return
		}
	}
	s.generation.stage.breaks("P2", "%s for %s asked without a slot", what, name)
}

func (s *seam) Stop(ctx context.Context, id string, grace time.Duration) error {
	return s.touches("stop", id, func() error { return s.Engine.Stop(ctx, id, grace) })
}

func (s *seam) Pause(ctx context.Context, id string) error {
	return s.touches("pause", id, func() error { return s.Engine.Pause(ctx, id) })
}

func (s *seam) Remove(ctx context.Context, id string, force bool) error {
	return s.touches("remove", id, func() error { return s.Engine.Remove(ctx, id, force) })
}

func (s *seam) Logs(ctx context.Context, id string, options runtime.LogOptions) (logs io.ReadCloser, err error) {
	err = s.touches("logs", id, func() error {
		logs, err = s.Engine.Logs(ctx, id, options)
		return err
	})
	return logs, err
}

// touches holds P9: no stranger's container is named.
func (s *seam) touches(what, id string, call func() error) error {
	g := s.generation
	if g.dead.Load() {
		return errDead
	}
	if g.stage.truth.isStranger(id) {
		g.stage.breaks("P9", "%s names a stranger's container %.8s", what, id)
	}
	g.stage.note("    h%d %s %.8s", s.host, what, id)
	err := call()
	if err != nil {
		g.stage.note("    h%d %s %.8s: %v", s.host, what, id, err)
	}
	if g.dead.Load() {
		return errDead
	}
	return err
}

func (s *seam) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	g := s.generation
	if g.dead.Load() {
		return runtime.Report{}, errDead
	}
	looks := g.stage.truth.look(queries)
	report, err := s.Engine.ReplicaLiveness(ctx, queries)
	if g.dead.Load() {
		err = errDead
	}
	g.stage.truth.looked(looks, report, func(q runtime.Query) bool { return err == nil && ctx.Err() == nil && g.at(q) })
	return report, err
}
