package timeline

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// patient is an image whose containers listen for ever, and answer for as long as they are well.
type patient struct {
	sick  atomic.Pointer[string] // the container that is
	all   atomic.Bool            // every container is
	asked atomic.Int64
}

func (p *patient) image() simulated.Image {
	return simulated.Image{Serve: p.serve}
}

func (p *patient) serve(c runtime.Container, conn net.Conn) {
	defer conn.Close()
	n, _ := conn.Read(make([]byte, 4<<10))
	if n == 0 {
		return // a readiness check by TCP
	}
	p.asked.Add(1)
	if sick := p.sick.Load(); p.all.Load() || sick != nil && *sick == c.ID {
		io.Copy(io.Discard, conn) // hangs, until whoever asked leaves
		return
	}
	io.Copy(conn, strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
}

func (p *patient) falls(id string) { p.sick.Store(&id) }

func checked(edit func(*pool.Policy)) func(*pool.Policy) {
	return func(p *pool.Policy) {
		p.Health = pool.Health{Path: "/healthz", Interval: 10 * time.Second, Retries: 3}
		if edit != nil {
			edit(p)
		}
	}
}

// A hung app still accepts: neither the engine nor a connection says a word. It is left out until a check has passed.
func TestHungReplicaIsAvoided(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		p := &patient{}
		app := h.add("hello", p.image(), checked(func(p *pool.Policy) { p.Min, p.Max = 2, 2 }))
		h.after(time.Second)
		sick := app.Snapshot().Rows[0]
		p.falls(sick.Container)
		h.after(20 * time.Second)
		if row, _ := app.Snapshot().Row(sick.ID); !row.Serves() {
			t.Errorf("left out after two failures at most\n%s", h.story())
		}
		h.after(25 * time.Second)
		for range 60 { // whatever looks meanwhile
			h.after(time.Second)
			if row, _ := app.Snapshot().Row(sick.ID); row.Suspect() != "health" {
				t.Fatalf("suspect: %q\n%s", row.Suspect(), h.story())
			}
		}
		if lease := h.served(app); lease.Replica == sick.Replica {
			t.Error("a visitor was sent there")
		}
		p.falls("nobody")
		h.after(15 * time.Second)
		if row, _ := app.Snapshot().Row(sick.ID); !row.Serves() {
			t.Errorf("still left out\n%s", h.story())
		}
		h.wantCreates(2)
	})
}

// The only replica hangs: who comes is not left to wait for it while max allows another. Nobody else causes one, and once
// both are idle, both go.
func TestHungReplicaIsNotWaitedFor(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		p := &patient{}
		app := h.add("hello", p.image(), checked(func(p *pool.Policy) { p.Max, p.Idle = 2, 10*time.Minute }))
		sick := h.warm(app)
		p.falls(sick.Container)
		h.after(5 * time.Minute)
		h.wantCreates(1)
		lease := h.served(app)
		if lease.Replica == sick.Replica {
			t.Errorf("served by the one that hangs\n%s", h.story())
		}
		lease.Release()
		h.after(time.Minute)
		h.served(app).Release()
		h.wantCreates(2)
		h.after(time.Hour)
		h.wantContainers(app, 0)
	})
}

// With restart it is replaced in the order of updates, and what hangs in it does not keep it for the drain time.
func TestHungReplicaIsReplaced(t *testing.T) {
	for _, order := range []pool.UpdateOrder{pool.StartFirst, pool.StopFirst} {
		live(t, 1, func(t *testing.T, h *house) {
			p := &patient{}
			app := h.add("hello", p.image(), checked(func(p *pool.Policy) {
				p.Min, p.Order, p.Drain, p.Health.Restart = 1, order, 8*time.Hour, true
			}))
			lease := h.served(app) // a request that hangs
			p.falls(lease.Upstream.Container)
			h.after(50 * time.Second)
			if row := h.row(app); row.Replica == lease.Replica || !row.Serves() {
				t.Errorf("the same, or it serves not\n%s", h.story())
			}
			h.after(10 * time.Minute)
			h.wantCreates(2)
			h.wantContainers(app, 1)
		})
	}
}

// What makes every replica fail may be outside of them: replacements come more and more seldom, and never two at once.
func TestNoStormOfReplacements(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		p := &patient{}
		p.all.Store(true)
		app := h.add("hello", p.image(), checked(func(p *pool.Policy) { p.Min, p.Max, p.Health.Restart = 2, 2, true }))
		h.after(time.Hour)
		if n := h.count(simulated.Create); n < 5 || n > 13 {
			t.Errorf("%d creates in an hour\n%s", n, h.story())
		}
		if peak := h.world().Peak("hello"); peak > 3 {
			t.Errorf("%d ran at once", peak)
		}
		p.all.Store(false)
		h.after(15 * time.Minute)
		for _, row := range app.Snapshot().Rows {
			if !row.Serves() {
				t.Errorf("%s serves not\n%s", row.ID, h.story())
			}
		}
	})
}

// Checks are as many as the policy says, spread, and end with the row, and with Run.
func TestHealthChecksAreBounded(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		p := &patient{}
		app := h.add("hello", p.image(), checked(func(p *pool.Policy) { p.Min, p.Max = 4, 4 }))
		h.after(101 * time.Second)
		if n := p.asked.Load(); n < 4*8 || n > 4*12 {
			t.Errorf("%d checks of 4 replicas in 100 s", n)
		}
		app.Close()
		h.after(time.Minute)
		p.asked.Store(0)
		h.after(time.Minute)
		if n := p.asked.Load(); n != 0 {
			t.Errorf("%d checks of what is gone", n)
		}
	})
}

// A container that is paused fails its checks for a reason that the engine tells better.
func TestPausedIsNotUnwell(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		h.follow()
		p := &patient{}
		app := h.add("hello", p.image(), checked(func(p *pool.Policy) { p.Health.Restart = true }))
		row := h.warm(app)
		h.must(h.world().Pause(row.Container))
		h.after(2 * time.Minute)
		h.must(h.world().Unpause(row.Container))
		h.after(2 * time.Second)
		if now := h.row(app); !now.Serves() || now.Replica != row.Replica {
			t.Errorf("serves: %v\n%s", now.Serves(), h.story())
		}
	})
}

// P8: an engine that is silent does not make an unwell replica well, whatever its readiness check says.
func TestSilentEngineCuresNobody(t *testing.T) {
	live(t, 1, func(t *testing.T, h *house) {
		p := &patient{}
		app := h.add("hello", p.image(), checked(nil))
		row := h.warm(app)
		p.falls(row.Container)
		h.after(45 * time.Second)
		h.engine().Fault(simulated.Fault{Kind: simulated.Refused})
		for range 60 {
			h.after(time.Second)
			if now := h.row(app); now.Suspect() != "health" {
				t.Fatalf("suspect: %q\n%s", now.Suspect(), h.story())
			}
		}
	})
}
