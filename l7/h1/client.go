package h1

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// Defaults of a Client.
const (
	IdleTimeout      = 60 * time.Second
	MaxIdlePerTarget = 1024
	MaxHeader        = 256 << 10
	ExpectTimeout    = time.Second
)

// Client keeps connections to many targets. Set its fields before the first use; it must not be copied after.
type Client struct {
	// Dial opens a connection; direct is the target's.
	Dial func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error)
	// IdleTimeout closes a kept connection that was not used for so long; an app that announces a shorter one
	// (Keep-Alive: timeout=) is heeded. Zero means the default, negative keeps no connection.
	IdleTimeout      time.Duration
	MaxIdlePerTarget int           // kept connections of one target; zero means the default
	MaxHeader        int           // bytes of a response's header, 1xx ones included; zero means the default
	ExpectTimeout    time.Duration // how long a body waits for 100; zero means the default
	// Lost is told when a target seems to have died: the last of its connections have ended together by the app's
	// doing, a kept one among them, and neither an announced idle limit nor one seen before explains it. It is told at
	// once and once, must not block, and may be wrong. Busy connections that end are told by their exchanges; nil, and
	// systems without epoll, tell nothing.
	Lost func(Target)

	watcher watcher

	mu      sync.Mutex // guards the fields below
	targets map[place]*target
	closed  bool
}

// Do sends the request and returns when the header of the response is complete. Each 1xx but 101 is handed to interim
// first, from the same goroutine; nil drops them, an error from it ends the exchange. An error of Do is always an *Error.
// The end of ctx closes the connection at once, until the response's body has been read or closed; a *Gone and a context
// without an end cost nothing for that. An exchange on a kept connection allocates nothing.
func (c *Client) Do(ctx context.Context, t Target, r *Request, interim func(status int, h fields.List) error) (*Response, error) {
	d := newCall(c, ctx, t, r, interim)
	response, err := d.run()
	if err != nil {
		d.abandon()
		return nil, d.failure(err)
	}
	return response, nil
}

// Close closes all connections, busy ones too. Later calls of Do fail with ErrClosed.
func (c *Client) Close() {
	for _, t := range c.shut() {
		t.end(ErrClosed)
	}
	c.watcher.close()
}

func (c *Client) shut() map[place]*target {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.targets
	c.targets, c.closed = nil, true
	return all
}

// connections finds or makes what is kept of a target.
func (c *Client) connections(t Target) (*target, error) {
	if t.over() {
		return nil, ErrEnded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if known := c.targets[t.place()]; known != nil {
		return known, nil
	}
	if c.targets == nil {
		c.targets = make(map[place]*target)
	}
	made := newTarget(c, t)
	c.targets[t.place()] = made
	if t.Ended != nil {
		go c.watch(t, made)
	}
	return made, nil
}

// watch forgets a target when it ends.
func (c *Client) watch(t Target, kept *target) {
	select {
	case <-t.Ended:
	case <-kept.ctx.Done():
		return
	}
	c.forget(t.place(), kept)
	kept.end(ErrEnded)
}

func (c *Client) forget(key place, kept *target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.targets[key] == kept {
		delete(c.targets, key)
	}
}

func (c *Client) idleTimeout() time.Duration {
	if c.IdleTimeout == 0 {
		return IdleTimeout
	}
	return c.IdleTimeout
}

func (c *Client) maxIdle() int {
	if c.MaxIdlePerTarget == 0 {
		return MaxIdlePerTarget
	}
	return c.MaxIdlePerTarget
}

func (c *Client) maxHeader() int {
	if c.MaxHeader == 0 {
		return MaxHeader
	}
	return c.MaxHeader
}

func (c *Client) expectTimeout() time.Duration {
	if c.ExpectTimeout == 0 {
		return ExpectTimeout
	}
	return c.ExpectTimeout
}
