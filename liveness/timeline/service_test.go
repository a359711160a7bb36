package timeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// service is a systemd with one unit that runs a container as Quadlets do: made when the unit is started, gone when it is
// stopped.
type service struct {
	h        *house
	takes    time.Duration // a start
	lingers  time.Duration // a stop, when its container is gone
	late     time.Duration // until it knows that a container has ended
	keeps    bool          // its container, as units of `podman start` do
	restarts time.Duration // between two runs, of Restart=always; 0: a container that ends is a unit that failed

	mu        sync.Mutex // guards what follows
	active    string     // as systemd says it; empty: inactive
	missed    time.Time  // since when its container is not there
	due       time.Time  // of the next run, while it is activating
	container string
	runs      int
	fails     int   // so many starts, before one goes well
	broken    error // what every call says, while set
}

const unitName = "wiki.service"

// unit is an app whose container a unit runs.
func (h *house) unit(img simulated.Image, edit func(*pool.Policy)) (*pool.App, *service) {
	s := &service{h: h}
	h.hosts[0].Units = s
	app := h.add("wiki", img, func(p *pool.Policy) {
		p.Adopt, p.Spec, p.KeepData = pool.Adoption{Unit: unitName}, "adopted, run by "+unitName, true
		if edit != nil {
			edit(p)
		}
	})
	return app, s
}

func (s *service) Start(ctx context.Context, unit string) error {
	if err := s.begin(unit); err != nil {
		return err
	}
	for failed := s.failed(); ; {
		if s.failed() > failed {
			return fmt.Errorf("unit %s failed", unit)
		}
		switch active, err := s.Active(ctx, unit); {
		case err != nil:
			return err
		case active:
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *service) begin(unit string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if unit != unitName {
		return fmt.Errorf("no unit %s", unit)
	}
	if s.broken == nil && (s.active == "" || s.active == "failed") {
		s.active, s.due = "activating", time.Now().Add(s.takes)
	}
	return s.broken
}

func (s *service) Stop(_ context.Context, unit string) error {
	defer time.Sleep(s.lingers)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil || unit != unitName {
		return errors.Join(s.broken, fmt.Errorf("stop %s", unit))
	}
	s.active = ""
	if s.keeps {
		return s.h.world().Stop(s.container)
	}
	_ = s.h.world().RemoveForce(s.container) // may be gone
	return nil
}

func (s *service) Active(context.Context, string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return false, s.broken
	}
	s.passes()
	switch s.active {
	case "active", "activating":
		return s.active == "active", nil
	}
	return false, fmt.Errorf("unit %s is %q; see journalctl --user -u %[1]s", unitName, s.active)
}

// passes is what systemd does by itself as time passes. The caller holds mu.
func (s *service) passes() {
	c, there := s.h.world().Container(s.container)
	switch alive := there && c.Runs(); {
	case s.active == "active" && !alive && s.missed.IsZero() && s.late > 0:
		s.missed = time.Now()
	case s.active == "active" && !alive && time.Since(s.missed) >= s.late:
		s.missed = time.Time{}
		_ = s.h.world().RemoveForce(s.container)
		s.ends()
	case s.active == "activating" && !time.Now().Before(s.due):
		s.runs++
		if s.runs <= s.fails {
			s.ends()
			return
		}
		if s.keeps && there {
			s.h.must(s.h.world().Start(s.container))
			s.active = "active"
			return
		}
		id, err := s.h.world().Run(runtime.Spec{Name: fmt.Sprintf("systemd-wiki-%d", s.runs), Image: image("wiki"),
			Labels: map[string]string{runtime.LabelUnit: unitName}})
		s.h.must(err)
		s.container, s.active = id, "active"
	}
}

func (s *service) ends() {
	s.active = "failed"
	if s.restarts > 0 {
		s.active, s.due = "activating", time.Now().Add(s.restarts)
	}
}

func (s *service) failed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.runs, s.fails)
}

// lives lets systemd go on by itself for a while.
func (s *service) lives(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); s.h.after(100 * time.Millisecond) {
		s.mu.Lock()
		s.passes()
		s.mu.Unlock()
	}
}

func (s *service) breaks(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}

// want checks the unit's state and how often it was run, and that nobody went behind systemd's back.
func (s *service) want(t *testing.T, active string, runs int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active != active || s.runs != runs {
		t.Errorf("the unit is %q after %d runs, want %q after %d\n%s", s.active, s.runs, active, runs, s.h.story())
	}
	if n := s.h.count(simulated.Create, simulated.Start, simulated.Stop, simulated.Pause, simulated.Remove, simulated.Pull); n > 0 {
		t.Errorf("the engine was told %d times what to do", n)
	}
}
