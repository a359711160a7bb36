package daemon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
)

const (
	firstRetry   = 200 * time.Millisecond
	longestRetry = 10 * time.Second
)

var errSame = errors.New("is the same engine")

// connect tries until the engine answers: a host that is down at the start joins later.
func (h *hosts) connect(ctx context.Context, name string, m *member) {
	first, told := true, ""
	for wait := firstRetry; ; wait = min(2*wait, longestRetry) {
		err := h.try(ctx, name, m)
		if first {
			close(m.tried)
		}
		switch {
		case err == nil:
			h.joined(ctx, name)
			return
		case ctx.Err() != nil:
			return
		case errors.Is(err, errLocked) && first && m.founder: // later, it would end what others are served
			h.refused(fmt.Errorf("host %s: %w", name, err))
		}
		first = false
		h.silent(name, m, err)
		if err.Error() != told { // the same reason may stand for as long as the configuration does
			told = err.Error()
			h.log.Warn("host does not answer", "host", name, "url", m.config.URL, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

func (h *hosts) try(ctx context.Context, name string, m *member) error {
	engine, info, err := open(ctx, m.config, h.instance)
	if err != nil {
		return err
	}
	host := m.as(name, engine)
	host.Reach, err = reachOf(m.config, info)
	if err == nil {
		err = h.enter(ctx, m, host, info)
	}
	if err != nil {
		return errors.Join(err, engine.Close())
	}
	h.log.Info("host connected", "host", name, "engine", info.Kind, "release", info.Release, "rootless", info.Rootless,
		"reach", host.Reach)
	return nil
}

// enter makes the engine this host's alone, among the hosts and among the processes, and then part of the fleet.
func (h *hosts) enter(ctx context.Context, m *member, host *runtime.Host, info runtime.Info) error {
	place := info.Identity + "@" + info.Place
	if err := h.occupy(m, place); err != nil {
		return err
	}
	held, err := acquire(place, h.instance)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
		m.place = ""
	case ctx.Err() != nil: // it left meanwhile
		held.release()
		err = ctx.Err()
	default:
		m.info, m.lock, m.host = info, held, host
		h.publish()
	}
	return err
}

func (h *hosts) occupy(m *member, place string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, other := range h.known {
		if other != m && other.place == place {
			return fmt.Errorf("%w as host %s", errSame, name)
		}
	}
	m.place = place
	return nil
}

// silent keeps the reason why a host does not answer, unless it left.
func (h *hosts) silent(name string, m *member, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known[name] == m {
		m.host = m.as(name, absent{why})
		h.publish()
	}
}

func reachOf(config conf.Host, info runtime.Info) (runtime.Reach, error) {
	var address netip.Addr
	if config.Address != "" {
		parsed, err := netip.ParseAddr(config.Address)
		if err != nil {
			return runtime.Reach{}, fmt.Errorf("address: %w", err)
		}
		address = parsed
	}
	return runtime.ParseReach(config.Reach, info, !strings.HasPrefix(config.URL, "unix://"), address)
}
