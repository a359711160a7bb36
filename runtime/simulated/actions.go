package simulated

import (
	"context"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// The calls that change something.

func (e *Engine) Pull(ctx context.Context, image string, policy runtime.PullPolicy) error {
	if err := runtime.CheckImage(image); err != nil {
		return err
	}
	_, err := ask(ctx, e, Pull, image, func(w *World, answer func(struct{}, error)) { w.pull(image, policy, answer) })
	return err
}

func (e *Engine) Image(ctx context.Context, image string) (runtime.Image, error) {
	if err := runtime.CheckImage(image); err != nil {
		return runtime.Image{}, err
	}
	return ask(ctx, e, InspectImage, image, func(w *World, answer func(runtime.Image, error)) {
		answer(w.describe(image))
	})
}

func (e *Engine) Create(ctx context.Context, spec runtime.Spec) (string, error) {
	about := subject{name: spec.Name, app: spec.Labels[runtime.LabelApp]}
	return askAbout(ctx, e, Create, about, spec.Name, func(w *World, answer func(string, error)) {
		w.create(spec, answer)
	})
}

func (e *Engine) Start(ctx context.Context, id string) error {
	return e.act(ctx, Start, id, func(w *World, answer func(struct{}, error)) { w.start(id, answer) })
}

func (e *Engine) Stop(ctx context.Context, id string, grace time.Duration) error {
	grace = time.Duration(runtime.GraceSeconds(grace)) * time.Second
	return e.act(ctx, Stop, id, func(w *World, answer func(struct{}, error)) { w.stop(id, grace, answer) })
}

func (e *Engine) Pause(ctx context.Context, id string) error {
	return e.act(ctx, Pause, id, func(w *World, answer func(struct{}, error)) { answer(struct{}{}, w.pause(id)) })
}

func (e *Engine) Unpause(ctx context.Context, id string) error {
	return e.act(ctx, Unpause, id, func(w *World, answer func(struct{}, error)) { answer(struct{}{}, w.unpause(id)) })
}

func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	how := removal{force: force, volumes: true}
	return e.act(ctx, Remove, id, func(w *World, answer func(struct{}, error)) { w.remove(id, how, answer) })
}

func (e *Engine) act(ctx context.Context, op Op, id string, act action[struct{}]) error {
	if err := runtime.CheckName(id); err != nil {
		return err
	}
	_, err := ask(ctx, e, op, id, act)
	return err
}
