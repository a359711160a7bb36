package readiness_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

const image = "localhost/app:latest"

// site is one running container and who checks it.
type site struct {
	t       *testing.T
	world   *simulated.World
	engine  *simulated.Engine
	host    *runtime.Host
	checker readiness.Checker
	policy  pool.Policy
	id      string
}

// at runs a test in a bubble, with a container of that image that has just been started.
func at(t *testing.T, options simulated.Options, img simulated.Image, test func(s *site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		world := simulated.NewWorld(options)
		world.SetImage(image, img)
		s := &site{t: t, world: world, engine: simulated.New("main", world),
			checker: readiness.Checker{Prober: probe.Prober{Dial: world.Dial}},
			policy:  pool.Policy{Port: 8080, Ports: []int{8080}, Ready: pool.Readiness{Timeout: time.Minute}}}
		reach := runtime.Reach{Mode: runtime.ReachAddress}
		if options.Rootless {
			reach.Mode = runtime.ReachPublished
		}
		s.host = &runtime.Host{Name: "h0", Engine: s.engine, Reach: reach}
		id, err := world.Run(runtime.Spec{Name: "app", Image: image, Ports: reach.Ports([]int{8080})})
		if err != nil {
			t.Fatal(err)
		}
		s.id = id
		defer world.CloseConns("")
		defer s.engine.Heal()
		test(s)
	})
}

// await waits for readiness, and tells how long it took.
func (s *site) await() (*pool.Upstream, time.Duration, error) {
	began := time.Now()
	up, err := s.checker.Await(context.Background(), s.host, s.id, &s.policy)
	return up, time.Since(began), err
}

func (s *site) wantReady(up *pool.Upstream, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	c, _ := s.world.Container(s.id)
	want, err := s.host.Reach.Endpoint(c, 8080)
	if err != nil {
		s.t.Fatal(err)
	}
	if up.Container != s.id || up.Start != c.Start || up.Endpoints[8080].Addr != want.Addr {
		s.t.Errorf("ready as %+v, is %s at %s", up, c.Start, want.Addr)
	}
}

// By address and behind a published port, over TCP, HTTP and by the engine's own health: ready when the app listens.
func TestReadyWhenItListens(t *testing.T) {
	for name, policy := range map[string]pool.Readiness{
		"tcp": {Timeout: time.Minute}, "http": {Path: "/healthz", Timeout: time.Minute}, "health": {Health: true, Timeout: time.Minute},
	} {
		for _, options := range []simulated.Options{{}, {Rootless: true}, {Rootless: true, Manner: simulated.LikePodman}} {
			t.Run(name, func(t *testing.T) {
				img := simulated.Image{Boot: 3 * time.Second, HasHealth: true, HealthTime: 3 * time.Second}
				at(t, options, img, func(s *site) {
					s.policy.Ready = policy
					up, took, err := s.await()
					s.wantReady(up, err)
					if took < 3*time.Second || took > 3900*time.Millisecond {
						s.t.Errorf("ready after %s", took)
					}
				})
			})
		}
	}
}

// An exit ends the wait at once, with its code.
func TestExit(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{Boot: time.Hour, Crashes: true, CrashAfter: 2 * time.Second, ExitCode: 3}, func(s *site) {
		_, took, err := s.await()
		var exit *readiness.ExitError
		if !errors.As(err, &exit) || exit.Code != 3 || took > 2500*time.Millisecond {
			s.t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestOutOfMemory(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{Boot: time.Hour}, func(s *site) {
		time.AfterFunc(time.Second, func() { _ = s.world.OOM(s.id) })
		_, _, err := s.await()
		var exit *readiness.ExitError
		if !errors.As(err, &exit) || !exit.OOM {
			s.t.Error(err)
		}
	})
}

// So does a removal.
func TestGone(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{Boot: time.Hour}, func(s *site) {
		time.AfterFunc(time.Second, func() { _ = s.world.RemoveForce(s.id) })
		_, took, err := s.await()
		if !errors.Is(err, runtime.ErrNotFound) || took > 1500*time.Millisecond {
			s.t.Errorf("after %s: %v", took, err)
		}
	})
}

// One that never listens ends with the policy's time and the last failed probe (case B166).
func TestNeverReady(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{Boot: time.Hour}, func(s *site) {
		_, took, err := s.await()
		if !errors.Is(err, probe.ErrNotReady) || took != time.Minute {
			s.t.Errorf("after %s: %v", took, err)
		}
	})
}

// between moves an instant away from the quarters of a second at which the container is looked at: a look in the very
// middle of a restart would see it stopped.
func between(d time.Duration) time.Duration { return d + 110*time.Millisecond }

// It is started again, and moves, while it is checked: the new start is checked, in what is left of the time.
func TestStartedAgainMeanwhile(t *testing.T) {
	for name, options := range map[string]simulated.Options{
		"other address": {Manner: simulated.LikePodman}, "other port": {Rootless: true}, "same address": {},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, options, simulated.Image{Boot: 5 * time.Second}, func(s *site) {
				time.AfterFunc(between(3*time.Second), func() { _ = s.world.Restart(s.id, 0) })
				up, took, err := s.await()
				s.wantReady(up, err)
				if took < 8*time.Second || took > 9*time.Second {
					s.t.Errorf("ready after %s", took)
				}
			})
		})
	}
}

// The lookup's answer is old news: the start that it tells of is over when the check begins, and another one passes it.
func TestStartedAgainBehindTheLookup(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{}, func(s *site) {
		s.engine.Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.LateReply, Delay: time.Second, Times: 1})
		time.AfterFunc(500*time.Millisecond, func() { _ = s.world.Restart(s.id, 0) })
		up, _, err := s.await()
		s.wantReady(up, err)
	})
}

// One that is started again in a row never passes, and ends in time all the same.
func TestStartedAgainForEver(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{Boot: 2 * time.Second}, func(s *site) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(between(0))
			for range 65 {
				time.Sleep(time.Second)
				_ = s.world.Restart(s.id, 0)
			}
		}()
		_, took, err := s.await()
		if err == nil || took != time.Minute {
			s.t.Errorf("after %s: %v", took, err)
		}
		<-done
	})
}

// The engine is silent: nothing is certain, so nothing ends before its time. When it answers again, the check goes on.
func TestSilentEngine(t *testing.T) {
	for _, kind := range []simulated.Trouble{simulated.Status500, simulated.Refused, simulated.Hang, simulated.Garbage} {
		t.Run(kind.String(), func(t *testing.T) {
			at(t, simulated.Options{}, simulated.Image{Boot: 5 * time.Second}, func(s *site) {
				time.AfterFunc(time.Second, func() {
					lift := s.engine.Fault(simulated.Fault{On: simulated.Inspect, Kind: kind})
					time.AfterFunc(20*time.Second, lift)
				})
				up, took, err := s.await()
				s.wantReady(up, err)
				if took < 21*time.Second || took > 22*time.Second {
					s.t.Errorf("ready after %s", took)
				}
				if n := s.engine.Count(); n > 300 {
					s.t.Errorf("%d calls to the engine", n)
				}
			})
		})
	}
}

// One inspect hangs for ever, and the next would be answered.
func TestOneHungInspect(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{}, func(s *site) {
		s.engine.Fault(simulated.Fault{On: simulated.Inspect, Kind: simulated.Hang, Times: 1})
		up, took, err := s.await()
		s.wantReady(up, err)
		if took > 5*time.Second {
			s.t.Errorf("ready after %s", took)
		}
	})
}

// Once asks no engine.
func TestOnceAsksNoEngine(t *testing.T) {
	at(t, simulated.Options{}, simulated.Image{}, func(s *site) {
		up, _, err := s.await()
		s.wantReady(up, err)
		s.engine.ResetCalls()
		if err := s.checker.Once(s.t.Context(), up, &s.policy); err != nil {
			s.t.Error(err)
		}
		if err := s.world.Kill(s.id); err != nil {
			s.t.Fatal(err)
		}
		if err := s.checker.Once(s.t.Context(), up, &s.policy); err == nil {
			s.t.Error("a dead one answers")
		}
		if n := s.engine.Count(); n != 0 {
			s.t.Errorf("%d calls to the engine", n)
		}
	})
}
