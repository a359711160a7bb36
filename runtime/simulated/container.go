package simulated

import (
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// unforgettable is the fate of a death that no engine denies.
const unforgettable = -1

// container is one container of a world, guarded by the world's mutex.
type container struct {
	runtime.Container
	spec     runtime.Spec
	image    Image
	starting bool
	began    time.Time // of the present run
	crash    *time.Timer
	health   string // set by hand; empty: by the image's HealthTime
	log      []byte
	volumes  []string   // names
	unhook   func()     // what Options.OnStart returned
	address  netip.Addr // of the present or the last run
	conns    map[net.Conn]struct{}

	// The last run as it was, for engines that notice a death late.
	ran    runtime.Container
	died   time.Time
	fate   int  // events of the world before the death, to tell whether a lie was arranged before it
	parted bool // removed from the world
}

func (c *container) app() string { return c.Labels[runtime.LabelApp] }

func (c *container) alive() bool {
	return c.Status == runtime.StatusRunning || c.Status == runtime.StatusPaused
}

// listens says whether the app has come so far as to accept connections.
func (c *container) listens() bool { return c.alive() && time.Since(c.began) >= c.image.Boot }

// snapshot is what an inspect tells; it shares nothing with the container.
func (c *container) snapshot() runtime.Container {
	s := c.Container
	s.Labels, s.IPs, s.Published = maps.Clone(s.Labels), slices.Clone(s.IPs), maps.Clone(s.Published)
	if c.alive() {
		s.Health = c.healthNow()
	}
	if !c.alive() && !c.starting {
		s.IPs, s.Published = nil, nil
	}
	return s
}

func (c *container) healthNow() string {
	switch {
	case c.health != "":
		return c.health
	case !c.image.HasHealth:
		return ""
	case time.Since(c.began) < c.image.HealthTime:
		return "starting"
	default:
		return "healthy"
	}
}
