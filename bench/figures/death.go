package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/bench/harness"
	"github.com/fairlead/fairlead/integration/image"
)

// deaths measures how long a dead replica stays in the pick: from the end of a connection of our own into the container
// to the moment when the API shows the replica as anything but ready. No request is under way.
func deaths(ctx context.Context, b *bench) error {
	f, err := b.run.Fairlead(ctx, harness.Config{URL: b.url, Image: image.Plain.Ref(),
		Apps: "  app: {route: {path: /}, replicas: {min: 0, max: 1}}"})
	if err != nil {
		return err
	}
	defer f.End()
	for _, way := range []struct {
		name, goal string
		pooled     bool
	}{{"with pooled connections", "< 20 ms", true}, {"without", "< 250 ms", false}} {
		var taken []time.Duration
		for range b.rounds {
			once, err := b.death(ctx, f, way.pooled)
			if err != nil {
				return err
			}
			taken = append(taken, once)
		}
		b.add("death to suspect, "+way.name, way.goal, taken)
	}
	return nil
}

func (b *bench) death(ctx context.Context, f *harness.Fairlead, pooled bool) (time.Duration, error) {
	replica, err := f.Wake(ctx, "app")
	if err != nil {
		return 0, err
	}
	for range 3 {
		if !pooled {
			break
		}
		if _, err := get(ctx, f.Address, "/id"); err != nil {
			return 0, err
		}
	}
	witness, err := net.Dial("tcp", replica.Upstream)
	if err != nil {
		return 0, err
	}
	defer witness.Close()
	died := make(chan time.Time, 1)
	go noteEnd(witness, died)
	out := make(chan time.Time, 1)
	go noteOut(ctx, f.Admin, replica, out)
	time.Sleep(200 * time.Millisecond) // both watch
	if err := b.outside.ContainerKill(ctx, replica.Container, "KILL"); err != nil {
		return 0, err
	}
	died1, out1 := <-died, <-out
	if out1.IsZero() {
		return 0, fmt.Errorf("the replica stayed ready")
	}
	return out1.Sub(died1), b.outside.Remove(ctx, replica.Container)
}

func noteEnd(conn net.Conn, to chan<- time.Time) {
	_, _ = conn.Read(make([]byte, 1)) // nothing is ever sent
	to <- time.Now()
}

// noteOut asks all the time; one question takes less than a millisecond.
func noteOut(ctx context.Context, client *admin.Client, replica admin.Replica, to chan<- time.Time) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(500 * time.Microsecond) {
		app, err := client.App(ctx, replica.App)
		if err == nil && !serves(app, replica) {
			to <- time.Now()
			return
		}
	}
	to <- time.Time{}
}

func serves(app admin.App, replica admin.Replica) bool {
	for _, row := range app.Replicas {
		if row.ID == replica.ID {
			return row.State == "ready" && !row.Suspect
		}
	}
	return false
}
