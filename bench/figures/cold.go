package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

var errUnseen = fmt.Errorf("the tap saw no create or no start")

// coldStarts measures Fairlead's share of a cold start: from the request to the create, and from the moment when both
// the engine and the app were done to the first byte of the answer.
func coldStarts(ctx context.Context, b *bench) error {
	for _, reach := range []struct{ name, goal string }{{"address", "< 60 ms"}, {"published", "< 400 ms"}} {
		shares, wholes, err := b.coldStarts(ctx, reach.name)
		if err != nil {
			return err
		}
		b.add("Fairlead's share of a cold start, reach: "+reach.name, reach.goal, shares)
		b.add("the whole of it, engine and app included", "", wholes)
	}
	return nil
}

func (b *bench) coldStarts(ctx context.Context, reach string) (shares, wholes []time.Duration, err error) {
	tap, err := b.run.NewTap("tap-"+reach, b.url)
	if err != nil {
		return nil, nil, err
	}
	var apps strings.Builder // one for each time: none has to be put to sleep
	for i := range b.rounds {
		fmt.Fprintf(&apps, "  cold%d: {route: {path: /cold%d, strip: true}, replicas: {min: 0, max: 1}}\n", i, i)
	}
	f, err := b.run.Fairlead(ctx, harness.Config{URL: tap.URL, Reach: reach, Image: image.Plain.Ref(), Apps: apps.String()})
	if err != nil {
		return nil, nil, err
	}
	defer f.End()
	for i := range b.rounds {
		share, whole, err := coldStart(ctx, tap, f.Address, fmt.Sprintf("/cold%d", i))
		if err != nil {
			return nil, nil, err
		}
		shares, wholes = append(shares, share), append(wholes, whole)
	}
	return shares, wholes, nil
}

func coldStart(ctx context.Context, tap *harness.Tap, address, app string) (share, whole time.Duration, err error) {
	began := time.Now()
	v, err := get(ctx, address, app+"/id")
	if err != nil {
		return 0, 0, err
	}
	create, created := tap.Since(began, http.MethodPost, "/containers/create")
	start, started := tap.Since(began, http.MethodPost, "/start")
	if !created || !started {
		return 0, 0, errUnseen
	}
	listens, err := listening(ctx, address, app)
	if err != nil {
		return 0, 0, err
	}
	return create.Sent.Sub(v.sent) + v.first.Sub(later(start.Returned, listens)), v.first.Sub(v.sent), nil
}

// warm counts the engine's calls while requests are served that need none. The passes and the events go on.
func warm(ctx context.Context, b *bench) error {
	tap, err := b.run.NewTap("tap-warm", b.url)
	if err != nil {
		return err
	}
	f, err := b.run.Fairlead(ctx, harness.Config{URL: tap.URL, Image: image.Plain.Ref(),
		Apps: "  warm: {route: {path: /}, replicas: {min: 1, max: 1}}"})
	if err != nil {
		return err
	}
	defer f.End()
	if _, err := f.Wake(ctx, "warm"); err != nil {
		return err
	}
	time.Sleep(time.Second) // what follows a start is over
	const requests = 1000
	began := time.Now()
	for range requests {
		if _, err := get(ctx, f.Address, "/id"); err != nil {
			return err
		}
	}
	took := time.Since(began)
	b.table.Add(fmt.Sprintf("engine calls during %d warm requests", requests), fmt.Sprint(tap.Count(began)), "0 beside passes",
		fmt.Sprintf("%.1f s with a pass every 10 s", took.Seconds()))
	return nil
}
