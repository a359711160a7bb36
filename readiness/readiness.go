// Package readiness says when a running container may get traffic: its ports have addresses, and the check that the
// app's policy asks for has passed, all in one and the same start.
//
//	upstream, err := checker.Await(ctx, host, id, policy)
//
// A spawn, a wake and a readopted container all pass through here, so that nobody is let in by another rule. The
// probing itself is package liveness/probe; this package joins it to an engine's answers. It changes nothing.
package readiness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// ErrMoved: the container was started again, or got another address, while it was being checked.
var ErrMoved = errors.New("container changed while it was being checked")

// ExitError is a container that ended instead of becoming ready.
type ExitError struct {
	Code int
	OOM  bool
}

func (e *ExitError) Error() string {
	if e.OOM {
		return fmt.Sprintf("ran out of memory, exit code %d", e.Code)
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}

// Checker checks containers. Prober says how to dial.
type Checker struct {
	Prober probe.Prober
}

// Await waits until the container is ready under the policy, and returns its upstream. It ends at once when the
// container exits (*ExitError) or is gone (runtime.ErrNotFound), and with the last failed probe when the policy's
// timeout or ctx is over. One that is started again or moves meanwhile is checked anew, in the time that is left.
func (c Checker) Await(ctx context.Context, host *runtime.Host, id string, policy *pool.Policy) (*pool.Upstream, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, policy.Ready.Timeout, errNotReady(policy.Ready.Timeout))
	defer cancel()
	for {
		up, err := c.oneStart(ctx, host, id, policy)
		if !errors.Is(err, ErrMoved) || ctx.Err() != nil {
			return up, err
		}
	}
}

// oneStart checks one start at one address. ErrMoved says that it was over before the check was.
func (c Checker) oneStart(ctx context.Context, host *runtime.Host, id string, policy *pool.Policy) (*pool.Upstream, error) {
	up, err := c.locate(ctx, host, id, policy)
	if err != nil {
		return nil, err
	}
	if err := c.probe(ctx, host, up, policy); err != nil {
		return nil, err
	}
	again, err := c.locate(ctx, host, id, policy)
	if err != nil {
		return nil, err
	}
	if moved(up, again) {
		return nil, ErrMoved
	}
	return up, nil
}

func moved(was, is *pool.Upstream) bool {
	return was.Start != is.Start || !SameEndpoints(was.Endpoints, is.Endpoints)
}

func errNotReady(after time.Duration) error { return fmt.Errorf("not ready after %s", after) }

const (
	firstPoll   = 20 * time.Millisecond
	longestPoll = 250 * time.Millisecond
	// lookBound keeps one lookup that hangs from using up the time of all others.
	lookBound = 2 * time.Second
)

// locate waits for addresses: a network or a published port may appear a moment after the start (case B007). An engine
// that is silent is asked again, since that ends nothing.
func (c Checker) locate(ctx context.Context, host *runtime.Host, id string, policy *pool.Policy) (*pool.Upstream, error) {
	for wait := firstPoll; ; wait = min(2*wait, longestPoll) {
		up, err := Locate(ctx, host, id, policy)
		if err == nil || terminal(err) {
			return up, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

func terminal(err error) bool {
	var exit *ExitError
	return errors.As(err, &exit) || errors.Is(err, runtime.ErrNotFound)
}

// Inspect bounds one lookup by id, and believes no answer about another container.
func Inspect(ctx context.Context, host *runtime.Host, id string) (runtime.Container, error) {
	ctx, cancel := context.WithTimeout(ctx, lookBound)
	defer cancel()
	c, err := host.Engine.Inspect(ctx, id)
	if err == nil && c.ID != id {
		return runtime.Container{}, fmt.Errorf("asked for container %.12s, got %.12s", id, c.ID)
	}
	return c, err
}

// Locate reads a running container's start and the addresses of the policy's ports.
func Locate(ctx context.Context, host *runtime.Host, id string, policy *pool.Policy) (*pool.Upstream, error) {
	c, err := Inspect(ctx, host, id)
	if err != nil {
		return nil, err
	}
	if err := runs(c); err != nil {
		return nil, err
	}
	endpoints, err := Endpoints(host.Reach, c, policy)
	if err != nil {
		return nil, err
	}
	up := pool.NewUpstream(c.ID, c.Start, endpoints)
	up.Main = policy.Port
	return up, nil
}

func runs(c runtime.Container) error {
	switch c.Status {
	case runtime.StatusRunning:
		return nil
	case runtime.StatusExited, runtime.StatusDead, runtime.StatusRemoving:
		return &ExitError{Code: c.ExitCode, OOM: c.OOM}
	default:
		return fmt.Errorf("container is %s", c.Status)
	}
}

// Endpoints finds the addresses of the policy's ports. A container that was made before the configuration had a port need
// not have it published: it serves what it can, as outdated ones do.
func Endpoints(reach runtime.Reach, c runtime.Container, policy *pool.Policy) (map[int]pool.Endpoint, error) {
	endpoints := make(map[int]pool.Endpoint, len(policy.Ports))
	outdated := policy.Spec != "" && c.Labels[runtime.LabelSpec] != policy.Spec
	for _, key := range policy.Ports {
		way, err := find(reach, c, key)
		switch {
		case err == nil:
			endpoints[key] = way
		case !outdated || key == policy.CheckPort():
			return nil, err
		}
	}
	return endpoints, nil
}

// SeenAt finds the addresses of those ports that an upstream of the container has: a port that the configuration got
// since moves nothing (P7).
func SeenAt(reach runtime.Reach, c runtime.Container, up *pool.Upstream) (map[int]pool.Endpoint, error) {
	endpoints := make(map[int]pool.Endpoint, len(up.Endpoints))
	for key := range up.Endpoints {
		way, err := find(reach, c, key)
		if err != nil {
			return nil, err
		}
		endpoints[key] = way
	}
	return endpoints, nil
}

func find(reach runtime.Reach, c runtime.Container, key int) (pool.Endpoint, error) {
	by := reach.Endpoint
	port, udp := pool.OfUDP(key)
	if udp {
		by = reach.UDPEndpoint
	}
	way, err := by(c, port)
	return pool.Endpoint{Addr: way.Addr, Direct: way.Direct}, err
}

// SameEndpoints compares two sets of addresses.
func SameEndpoints(a, b map[int]pool.Endpoint) bool {
	if len(a) != len(b) {
		return false
	}
	for port, endpoint := range a {
		if b[port] != endpoint {
			return false
		}
	}
	return true
}
