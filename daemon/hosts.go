package daemon

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/systemd"
)

// hosts connects the configured engines, each on its own, and keeps the fleet up to date.
type hosts struct {
	fleet    *runtime.Fleet
	instance string
	log      *slog.Logger
	// joined is called after a host was connected, without any lock.
	joined func(ctx context.Context, name string)
	// refused is called when a second Fairlead of this instance serves the engine.
	refused func(error)

	mu    sync.Mutex // guards what follows
	life  context.Context
	known map[string]*member
}

type member struct {
	config  conf.Host
	host    *runtime.Host
	tried   chan struct{} // closed after the first attempt to connect
	founder bool          // configured at Fairlead's start
	info    runtime.Info  // zero until connected
	place   string        // of the engine; empty until it answered
	cancel  context.CancelFunc
	lock    *lock
}

// apply makes the configured hosts the fleet: new ones are connected in the background, those that are gone or changed
// are let go.
func (h *hosts) apply(ctx context.Context, configured map[string]conf.Host) (gone []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	founding := h.known == nil
	if founding {
		h.life, h.known = ctx, map[string]*member{}
	}
	for name, m := range h.known {
		if now, ok := configured[name]; !ok || !reflect.DeepEqual(now, m.config) {
			m.leave()
			delete(h.known, name)
			if !ok {
				gone = append(gone, name)
			}
		}
	}
	for name, config := range configured {
		if h.known[name] == nil {
			h.known[name] = h.join(name, config, founding)
		}
	}
	h.publish()
	return gone
}

// rejoin begins with a host anew: behind its address there may be another engine, of another kind.
func (h *hosts) rejoin(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.known[name]; m != nil {
		m.leave()
		h.known[name] = h.join(name, m.config, false)
		h.publish()
	}
}

// join begins to connect. The caller holds mu.
func (h *hosts) join(name string, config conf.Host, founder bool) *member {
	ctx, cancel := context.WithCancel(h.life)
	m := &member{config: config, cancel: cancel, tried: make(chan struct{}), founder: founder}
	m.host = m.as(name, absent{errors.New("no answer so far")})
	go h.connect(ctx, name, m)
	return m
}

func (m *member) as(name string, engine runtime.Engine) *runtime.Host {
	host := &runtime.Host{Name: name, Engine: engine, Timeout: m.config.Timeout, Weight: m.config.Weight,
		MaxContainers: m.config.MaxContainers, Quiet: !m.config.Events}
	if strings.HasPrefix(m.config.URL, "unix://") {
		host.Units = systemd.Ours()
	}
	return host
}

func (m *member) leave() {
	m.cancel()
	m.lock.release()
	_ = m.host.Engine.Close() // idle connections only; calls in flight settle
}

// publish hands the fleet what is known. The caller holds mu.
func (h *hosts) publish() {
	list := make([]*runtime.Host, 0, len(h.known))
	for _, m := range h.known {
		list = append(list, m.host)
	}
	h.fleet.Set(list...)
}

// settle waits until every host was tried once, so that the first pass does not report as silent what nobody has asked
// yet.
func (h *hosts) settle(ctx context.Context) {
	h.mu.Lock()
	var trying []<-chan struct{}
	for _, m := range h.known {
		trying = append(trying, m.tried)
	}
	h.mu.Unlock()
	for _, tried := range trying {
		select {
		case <-tried:
		case <-ctx.Done():
			return
		}
	}
}

// describe returns what is known of a host beside its looks.
func (h *hosts) describe(name string) (conf.Host, runtime.Info, runtime.Reach) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.known[name]
	if m == nil {
		return conf.Host{}, runtime.Info{}, runtime.Reach{}
	}
	return m.config, m.info, m.host.Reach
}

func (h *hosts) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.known {
		m.leave()
	}
}
