package simulated_test

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

func query(c runtime.Container) []runtime.Query {
	return []runtime.Query{{
		Replica: c.Labels[runtime.LabelReplica], Container: c.ID, Start: c.Start, Identity: "simulated-0",
	}}
}

// verdict looks at one container; a failed look is Unknown.
func verdict(t *testing.T, e *simulated.Engine, q []runtime.Query) runtime.Verdict {
	t.Helper()
	report, err := e.ReplicaLiveness(t.Context(), q)
	if err != nil {
		return runtime.Unknown
	}
	return report.Observations[0].Verdict
}

// P1, case B005: only an authoritative 404 of the engine that made the container is Missing.
func TestTroubleIsUnknown(t *testing.T) {
	troubles := map[string]simulated.Fault{
		"500":           {Kind: simulated.Status500},
		"refused":       {Kind: simulated.Refused},
		"garbage":       {Kind: simulated.Garbage},
		"lost":          {Kind: simulated.LostReply},
		"inspect hangs": {On: simulated.Inspect, Kind: simulated.Hang},
		"list hangs":    {On: simulated.List, Kind: simulated.Hang},
		"wrong 404":     {On: simulated.Inspect, Kind: simulated.NotFound},
		"stranger":      {On: simulated.Inspect, Kind: simulated.Swapped},
	}
	for name, fault := range troubles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, world := newEngine(simulated.Options{}, simulated.Image{})
				c := run(t, e, spec("hello", "r1"))
				run(t, e, spec("other", "r1"))
				e.Fault(fault)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				report, err := e.ReplicaLiveness(ctx, query(c))
				if err == nil && report.Observations[0].Verdict != runtime.Unknown {
					t.Fatalf("got %v", report.Observations[0])
				}
				e.Heal()
				if v := verdict(t, e, query(c)); v != runtime.Running {
					t.Fatalf("healed: %v", v)
				}
				must(t, world.RemoveForce(c.ID))
				if v := verdict(t, e, query(c)); v != runtime.Missing {
					t.Fatalf("removed: %v", v)
				}
			})
		})
	}
}

func TestOmittedIsNotMissing(t *testing.T) {
	e, _ := newEngine(simulated.Options{}, simulated.Image{})
	c := run(t, e, spec("hello", "r1"))
	e.Fault(simulated.Fault{Kind: simulated.Omit, Container: c.ID})
	listed, err := e.List(t.Context())
	must(t, err)
	if len(listed) != 0 {
		t.Fatalf("listed %v", listed)
	}
	if v := verdict(t, e, query(c)); v != runtime.Running {
		t.Fatalf("got %v", v)
	}
}

func TestUnfilteredList(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	_, err := world.Run(runtime.Spec{Name: "stranger", Image: image})
	must(t, err)
	e.Fault(simulated.Fault{Kind: simulated.Unfiltered})
	listed, err := e.List(t.Context())
	must(t, err)
	if len(listed) != 1 || listed[0].Name != "stranger" {
		t.Fatalf("listed %v", listed)
	}
	report, err := e.ReplicaLiveness(t.Context(), nil)
	must(t, err)
	if len(report.Discovered) != 0 { // P9
		t.Fatalf("discovered %v", report.Discovered)
	}
}

// P1: the same address, another engine; then the same engine under another identity.
func TestIdentity(t *testing.T) {
	e, world := newEngine(simulated.Options{}, simulated.Image{})
	c := run(t, e, spec("hello", "r1"))
	e.Swap(simulated.NewWorld(simulated.Options{Seed: 1}))
	if v := verdict(t, e, query(c)); v != runtime.Unknown {
		t.Fatalf("another engine: %v", v)
	}
	e.Swap(world)
	world.SetIdentity("renamed")
	if v := verdict(t, e, query(c)); v != runtime.Running {
		t.Fatalf("same world, new identity: %v", v)
	}
}

// A lost reply: the action happens, the caller gets an error, and the name settles it.
func TestLostReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{})
		e.Fault(simulated.Fault{On: simulated.Create, Kind: simulated.LostReply, Times: 1})
		e.Fault(simulated.Fault{On: simulated.Start, Kind: simulated.LostReply, Delay: simulated.Forever, Times: 1})
		s := spec("hello", "r1")
		_, err := e.Create(t.Context(), s)
		wantErr(t, err, simulated.ErrLost)
		c := inspect(t, e, s.Name)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantErr(t, e.Start(ctx, c.ID), context.DeadlineExceeded)
		if len(e.Running("hello")) != 1 {
			t.Fatal("the start was lost with its reply")
		}
	})
}

// A caller that gives up does not stop what the daemon has begun.
func TestBegunActionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{CreateTime: 10 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := e.Create(ctx, spec("hello", "r1"))
		wantErr(t, err, context.DeadlineExceeded)
		if len(e.All()) != 0 {
			t.Fatal("created before its time")
		}
		time.Sleep(10 * time.Second)
		if len(e.All()) != 1 {
			t.Fatal("never created")
		}
	})
}

// Two replies out of order: the older truth arrives last.
func TestLateReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{})
		c := run(t, e, spec("hello", "r1"))
		e.Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.LateReply, Delay: time.Second, Times: 1})
		late := make(chan runtime.Container)
		go func() {
			old, _ := e.Inspect(t.Context(), c.ID)
			late <- old
		}()
		synctest.Wait()
		must(t, world.Kill(c.ID))
		if now := inspect(t, e, c.ID); now.Runs() {
			t.Fatal("the second reply is not of now")
		}
		if old := <-late; !old.Runs() {
			t.Fatal("the first reply is not of its moment")
		}
	})
}

func TestLateDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, world := newEngine(simulated.Options{}, simulated.Image{})
		c := run(t, e, spec("hello", "r1"))
		e.Fault(simulated.Fault{Kind: simulated.LateDeath, App: "hello", Delay: 500 * time.Millisecond})
		must(t, world.RemoveForce(c.ID))
		time.Sleep(499 * time.Millisecond)
		if v := verdict(t, e, query(c)); v != runtime.Running {
			t.Fatalf("too early: %v", v)
		}
		time.Sleep(time.Millisecond)
		if v := verdict(t, e, query(c)); v != runtime.Missing {
			t.Fatalf("too late: %v", v)
		}
	})
}

func TestDeafIgnoresContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{})
		lift := e.Fault(simulated.Fault{On: simulated.Info, Kind: simulated.Deaf, Times: 1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		time.AfterFunc(time.Minute, lift)
		_, err := e.Info(ctx)
		wantErr(t, err, simulated.ErrHung)
		if time.Since(began) != time.Minute {
			t.Fatalf("returned after %v", time.Since(began))
		}
	})
}

func TestFaultsMatchInOrderAndRunOut(t *testing.T) {
	e, _ := newEngine(simulated.Options{}, simulated.Image{})
	mine := errors.New("mine")
	e.Fault(simulated.Fault{On: simulated.Create, App: "other", Kind: simulated.Status500})
	e.Fault(simulated.Fault{On: simulated.Create, Kind: simulated.Status500, Err: mine, Times: 1})
	e.Fault(simulated.Fault{On: simulated.Create, Kind: simulated.Refused, Times: 1})
	for _, want := range []error{mine, syscall.ECONNREFUSED, nil} {
		if _, err := e.Create(t.Context(), spec("hello", "r1")); !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	_, err := e.Create(t.Context(), spec("other", "r1"))
	wantErr(t, err, simulated.ErrInternal)
	if e.Count(simulated.Create) != 4 || e.Count(simulated.Start) != 0 || len(e.All()) != 1 {
		t.Fatalf("calls %+v", e.Calls())
	}
	i := slices.IndexFunc(e.Calls(), func(c simulated.Call) bool { return c.App == "other" })
	if c := e.Calls()[i]; !c.Done || !errors.Is(c.Err, simulated.ErrInternal) || c.Container != "fairlead-main-other-r1" {
		t.Fatalf("recorded %+v", c)
	}
}

func TestCrashOnStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(simulated.Options{}, simulated.Image{})
		e.Fault(simulated.Fault{On: simulated.Any, Kind: simulated.Crash, Delay: time.Second, Times: 1})
		c := run(t, e, spec("hello", "r1"))
		time.Sleep(time.Second)
		synctest.Wait()
		if s := inspect(t, e, c.ID); s.Status != runtime.StatusExited || s.ExitCode != 1 {
			t.Fatalf("got %+v", s)
		}
		must(t, e.Start(t.Context(), c.ID))
		time.Sleep(time.Minute)
		if !inspect(t, e, c.ID).Runs() {
			t.Fatal("it crashed a second time")
		}
	})
}

func TestClosedEngine(t *testing.T) {
	e, _ := newEngine(simulated.Options{}, simulated.Image{})
	must(t, e.Close())
	_, err := e.Info(t.Context())
	wantErr(t, err, simulated.ErrClosed)
}
