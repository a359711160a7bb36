package h2

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// Client asks apps that speak HTTP/2 without TLS (h2c, by prior knowledge), or over what Dial makes. It keeps to the rules
// of h1.Client: connections belong to a start and end with it; an error says what the app may know of the request. Set its
// fields before the first use; it must not be copied after.
type Client struct {
	// Dial opens a connection; direct is the target's.
	Dial func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error)
	// Lost is told when the last connection to a target has ended by the app's doing, without a GOAWAY and without a
	// request on it: it seems to have died. It must not block.
	Lost func(h1.Target)

	mu      sync.Mutex // guards the fields below
	targets map[any]*target
	closed  bool
}

// greeting is how long an app may take to say that it speaks HTTP/2. Nothing was asked before, so that an app that is not
// there, or speaks something else, costs no request.
const greeting = 10 * time.Second

// Do sends the request and returns when the header of the response is complete. Each 1xx is handed to interim first, from
// the same goroutine. An error of Do is always an *h1.Error. The end of ctx resets the stream, until the response's body
// has been read or closed. What an app surely has not looked at is sent once more, over another connection.
func (c *Client) Do(ctx context.Context, t h1.Target, r *h1.Request, interim func(int, fields.List) error) (*h1.Response, error) {
	for again := false; ; again = true {
		d := &call{client: c, ctx: ctx, target: t, request: r, interim: interim}
		response, err := d.run()
		if err != nil && d.unseen && !again && !d.begun() && ctx.Err() == nil {
			continue
		}
		d.conclude()
		if err != nil {
			return nil, d.failure(err)
		}
		return response, nil
	}
}

// Close closes all connections, busy ones too.
func (c *Client) Close() {
	c.mu.Lock()
	all := c.targets
	c.targets, c.closed = nil, true
	c.mu.Unlock()
	for _, t := range all {
		t.end(h1.ErrClosed)
	}
}

// connections finds or makes what is kept of a target.
func (c *Client) connections(t h1.Target) (*target, error) {
	select {
	case <-t.Ended:
		return nil, h1.ErrEnded
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, h1.ErrClosed
	}
	if known := c.targets[t.Key]; known != nil {
		return known, nil
	}
	if c.targets == nil {
		c.targets = map[any]*target{}
	}
	made := newTarget(c, t)
	c.targets[t.Key] = made
	if t.Ended != nil {
		go c.watch(made)
	}
	return made, nil
}

// watch forgets a target when its start ends (P5).
func (c *Client) watch(t *target) {
	select {
	case <-t.self.Ended:
	case <-t.ctx.Done():
		return
	}
	c.mu.Lock()
	if c.targets[t.self.Key] == t {
		delete(c.targets, t.self.Key)
	}
	c.mu.Unlock()
	t.end(h1.ErrEnded)
}
