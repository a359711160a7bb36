package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/containerd/errdefs"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

// recoveries measures, from the engine's first 404 after a docker rm -f, how much later than the engine and the app
// could have it a visitor is served who asks all the time.
func recoveries(ctx context.Context, b *bench) error {
	for _, reach := range []struct{ name, goal string }{{"address", "< 100 ms"}, {"published", "< 400 ms"}} {
		tap, err := b.run.NewTap("tap-recovery-"+reach.name, b.url)
		if err != nil {
			return err
		}
		f, err := b.run.Fairlead(ctx, harness.Config{URL: tap.URL, Reach: reach.name, Image: image.Plain.Ref(),
			Apps: "  app: {route: {path: /}, replicas: {min: 0, max: 1}}"})
		if err != nil {
			return err
		}
		var beyond, whole []time.Duration
		for range b.rounds {
			once, all, err := b.recovery(ctx, f, tap)
			if err != nil {
				return err
			}
			beyond, whole = append(beyond, once), append(whole, all)
		}
		f.End()
		b.add("recovery after rm -f beyond engine start and boot, reach: "+reach.name, reach.goal, beyond)
		b.add("from rm -f to served again", "", whole)
	}
	return nil
}

func (b *bench) recovery(ctx context.Context, f *harness.Fairlead, tap *harness.Tap) (beyond, whole time.Duration, err error) {
	replica, err := f.Wake(ctx, "app")
	if err != nil {
		return 0, 0, err
	}
	if _, err := get(ctx, f.Address, "/id"); err != nil {
		return 0, 0, err
	}
	gone := make(chan time.Time, 1)
	go b.noteMissing(ctx, replica.Container, gone)
	began := time.Now()
	removed := make(chan error, 1)
	go func() { removed <- b.outside.Remove(ctx, replica.Container) }()
	served, err := awaitOther(ctx, f.Address, replica.ID)
	if err != nil {
		return 0, 0, err
	}
	if err := <-removed; err != nil {
		return 0, 0, err
	}
	create, created := tap.Since(began, http.MethodPost, "/containers/create")
	start, started := tap.Since(began, http.MethodPost, "/start")
	if !created || !started {
		return 0, 0, errUnseen
	}
	listens, err := listening(ctx, f.Address, "")
	if err != nil {
		return 0, 0, err
	}
	engineAndBoot := later(start.Returned, listens).Sub(create.Sent)
	return served.Sub(<-gone) - engineAndBoot, served.Sub(began), nil
}

func (b *bench) noteMissing(ctx context.Context, id string, to chan<- time.Time) {
	for ctx.Err() == nil {
		if _, err := b.outside.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	to <- time.Now()
}

// awaitOther asks until another replica answers.
func awaitOther(ctx context.Context, address, old string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		v, err := get(ctx, address, "/id")
		if err == nil && v.replica != old {
			return v.first, nil
		}
		if ctx.Err() != nil {
			return time.Time{}, fmt.Errorf("no other replica answers: %w", err)
		}
	}
}
