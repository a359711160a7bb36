package contract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

const nobody = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func refuses(_ *testing.T, b bench) {
	id := b.create(b.spec("r1"))
	_, err := b.Engine.Create(b.ctx, b.spec("r1"))
	b.want("create under a taken name", err, runtime.ErrConflict)

	absent := b.spec("r2")
	absent.Image = "localhost/fairlead-no-such-image:1"
	_, err = b.Engine.Create(b.ctx, absent)
	b.want("create from an absent image", err, runtime.ErrNotFound)
	_, err = b.Engine.Image(b.ctx, absent.Image)
	b.want("describe an absent image", err, runtime.ErrNotFound)
	b.want("pull never", b.Engine.Pull(b.ctx, absent.Image, runtime.PullNever), runtime.ErrNotFound)
	b.must("pull what is there", b.Engine.Pull(b.ctx, b.Image, runtime.PullMissing))

	lonely := b.spec("r3")
	lonely.Networks = []string{"fairlead-no-such-network"}
	_, err = b.Engine.Create(b.ctx, lonely)
	b.want("create in an absent network", err, runtime.ErrInvalid)
	if err != nil && !strings.Contains(err.Error(), lonely.Networks[0]) {
		b.Errorf("the error does not name the network: %v", err)
	}
	b.refusesStrangePaths()
	b.refusesTheAbsent()
	// case B016: an engine may match the beginning of an id or of a name.
	_, err = b.Engine.Inspect(b.ctx, id[:12])
	b.want("inspect by an id's beginning", err, runtime.ErrNotFound)
	_, err = b.Engine.Inspect(b.ctx, strings.TrimSuffix(b.spec("r1").Name, "1"))
	b.want("inspect by a name's beginning", err, runtime.ErrNotFound)
}

// refusesTheAbsent: only a removal of what is gone is a success.
func (b bench) refusesTheAbsent() {
	b.want("start nobody", b.Engine.Start(b.ctx, nobody), runtime.ErrNotFound)
	b.want("stop nobody", b.Engine.Stop(b.ctx, nobody, time.Second), runtime.ErrNotFound)
	b.must("remove nobody", b.Engine.Remove(b.ctx, nobody, false))
	_, err := b.Engine.Inspect(b.ctx, nobody)
	b.want("inspect nobody", err, runtime.ErrNotFound)
	_, err = b.Engine.Logs(b.ctx, nobody, runtime.LogOptions{})
	b.want("logs of nobody", err, runtime.ErrNotFound)
}

// refusesStrangePaths: nothing unchecked reaches a path of the engine's API (P10).
func (b bench) refusesStrangePaths() {
	for _, name := range []string{"", "../info", "a/b", "a?force=1", "-a", "a\nb"} {
		_, err := b.Engine.Inspect(b.ctx, name)
		b.want("inspect "+name, err, runtime.ErrInvalid)
		b.want("remove "+name, b.Engine.Remove(b.ctx, name, true), runtime.ErrInvalid)
		spec := b.spec("r4")
		spec.Name = name
		_, err = b.Engine.Create(b.ctx, spec)
		b.want("create "+name, err, runtime.ErrInvalid)
	}
	for _, ref := range []string{"", "a/../b", "a b", "a?b"} {
		_, err := b.Engine.Image(b.ctx, ref)
		b.want("image "+ref, err, runtime.ErrInvalid)
	}
}

// settlesByName: after a create whose reply was lost, the name leads to the container, or is free.
func settlesByName(_ *testing.T, b bench) {
	spec := b.spec("r1")
	_, err := b.Engine.Inspect(b.ctx, spec.Name)
	b.want("before the create", err, runtime.ErrNotFound)
	lost := b.create(spec)
	_, err = b.Engine.Create(b.ctx, spec)
	b.want("asking once more", err, runtime.ErrConflict)
	if c := b.inspect(spec.Name); c.ID != lost || !runtime.Ours(c, b.Instance) {
		b.Errorf("the name leads to %+v, want %s", c, lost)
	}
	b.must("remove", b.Engine.Remove(b.ctx, lost, true))
	// case B010: the name is free once the removal has returned.
	again := b.create(spec)
	if again == lost {
		b.Errorf("another container has the same id")
	}
}

func obeysItsContext(_ *testing.T, b bench) {
	over, cancel := context.WithCancel(b.ctx)
	cancel()
	calls := map[string]func() error{
		"info":    func() error { _, err := b.Engine.Info(over); return err },
		"look":    func() error { _, err := b.Engine.ReplicaLiveness(over, nil); return err },
		"inspect": func() error { _, err := b.Engine.Inspect(over, nobody); return err },
		"create":  func() error { _, err := b.Engine.Create(over, b.spec("r1")); return err },
		"start":   func() error { return b.Engine.Start(over, nobody) },
		"stop":    func() error { return b.Engine.Stop(over, nobody, time.Second) },
		"remove":  func() error { return b.Engine.Remove(over, nobody, true) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			b.Errorf("%s: want the context's error, got %v", name, err)
		}
	}
	if _, err := b.Engine.Inspect(b.ctx, b.spec("r1").Name); !errors.Is(err, runtime.ErrNotFound) {
		b.Errorf("a cancelled create left something: %v", err)
	}
}
