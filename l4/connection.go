package l4

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// connection is one client's connection until it is joined with an app.
type connection struct {
	*story
	client net.Conn
	remote net.Addr // of the client, by its own word or a trusted proxy's
	local  net.Addr // that it connected to
	source netip.Addr

	mayNotWake bool      // a trusted proxy's own connection
	postgres   bool      // the client was told that it may begin TLS, and the app has to be asked
	early      []byte    // read from the client and not sent to any app yet
	lost       error     // of the last failed attempt
	until      time.Time // of waiting for another one
	avoided    *pool.Upstream
}

// serve is the story of one connection: it finds the route, is admitted to a replica, is joined with it, and gives the
// replica back. It owns conn. The table is that of the moment at which the connection was accepted.
func (f *Front) serve(conn net.Conn, remote net.Addr, key socketKey, table *table) {
	c := f.meet(conn, remote, key)
	c.finish(f.service, c.find(table))
}

// meet is told the client's address as it was accepted: a socket that was reset since does not know it any more.
func (f *Front) meet(conn net.Conn, remote net.Addr, key socketKey) *connection {
	c := &connection{story: f.begins(key.address, netip.AddrPort{}), client: conn}
	c.comes(remote, conn.LocalAddr())
	return c
}

// comes notes who the client is, and what he connected to.
func (c *connection) comes(from, to net.Addr) {
	c.remote, c.local = from, to
	c.from = addressOf(from)
	c.source = c.from.Addr().WithZone("")
}

// find learns who the client is and what it wants.
func (c *connection) find(table *table) error {
	if err := c.identify(table); err != nil {
		return err
	}
	return c.choose(table.ports[c.key()])
}

// finish tells the rest of the story of a connection whose route was found, unless there is an error.
func (c *connection) finish(ctx context.Context, err error) {
	if err == nil {
		err = c.tell(ctx)
	}
	c.conclude(err)
}

// conclude is over what was not joined.
func (c *connection) conclude(err error) {
	switch {
	case err == nil: // the relay has both
		return
	case errors.Is(err, errEndedAlive):
		err = nil
	default:
		reset(c.client)
	}
	c.client.Close()
	c.refused(err)
}

// tell returns nil if the client was joined with an app, errEndedAlive if its connection has ended as connections do, and
// otherwise why it must be reset.
func (c *connection) tell(ctx context.Context) error {
	if !c.route.app.enter() {
		return errLimit
	}
	c.counts()
	return c.attempts(ctx)
}

// attempts go on until one is no failure, or no other may follow.
func (c *connection) attempts(ctx context.Context) error {
	for {
		lease, err := c.admit(ctx)
		if err != nil {
			return err
		}
		if err = c.attempt(ctx, lease); err == nil {
			return nil
		}
		lease.Release()
		if !c.mayRepeat(ctx, lease, err) {
			return err
		}
	}
}

// admit waits for a replica, and for no longer than the client does.
func (c *connection) admit(ctx context.Context) (pool.Lease, error) {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	w := waiting{
		front: c.front, app: c.route.app, source: c.source, until: c.until, lost: c.lost, avoided: c.avoided,
		watch: c.watch(), may: c.mayWake,
	}
	lease, err := w.admit(ctx, leave)
	c.record.held += w.held
	return lease, err
}

// watch ends the waiting of a client who has reset his connection. One who only ended his own direction still waits for
// the answer (case B140).
func (c *connection) watch() func(context.Context, context.CancelCauseFunc) {
	client := c.client // c may move on before the waiting is known to be over
	return func(held context.Context, leave context.CancelCauseFunc) {
		ticker := time.NewTicker(glance)
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
				if isReset(client) {
					leave(errGone)
				}
			}
		}
	}
}

// failure is an attempt in which no byte passed.
type failure struct {
	phase string // dial, ended or refused
	err   error
}

func (f *failure) Error() string { return f.phase + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// attempt joins the client with one replica, to which the lease belongs then. A *failure has been reported.
func (c *connection) attempt(ctx context.Context, lease pool.Lease) error {
	endpoint := endpointOf(lease, c.route.port)
	if !endpoint.Addr.IsValid() {
		return errNoEndpoint
	}
	c.record.replica = lease.Replica.ID
	ended := c.front.starts.of(lease.Upstream).ended
	app, err := c.connect(ended, endpoint)
	if err != nil {
		return c.failed(ctx, lease, &failure{"dial", err})
	}
	if err := c.introduce(app); err != nil {
		app.Close()
		return c.notIntroduced(ctx, lease, err)
	}
	var greeting []byte
	if !endpoint.Direct {
		if greeting, err = c.prove(app, c.lost != nil); err != nil {
			app.Close()
			return c.endedAtOnce(ctx, lease, err)
		}
		c.published = c.watches(lease, len(greeting) > 0)
	}
	c.join(ended, app, greeting, lease)
	return nil
}

// introduce says to the app what must come before the client's own bytes.
func (c *connection) introduce(app net.Conn) error {
	if err := c.announce(app); err != nil {
		return err
	}
	return c.sslAsk(app)
}

// notIntroduced is an app that ended the connection before it had any of the client's bytes, or that says no.
func (c *connection) notIntroduced(ctx context.Context, lease pool.Lease, err error) error {
	if errors.Is(err, errNoTLSInApp) || !c.front.starts.mayReport(lease.Upstream) {
		return err
	}
	return c.failed(ctx, lease, &failure{"ended", err})
}

// connect dials for as long as the start lasts.
func (c *connection) connect(ended context.Context, to pool.Endpoint) (net.Conn, error) {
	conn, err := c.front.dial(ended, to.Addr, to.Direct)
	if cause := context.Cause(ended); err != nil && cause != nil {
		return nil, cause
	}
	return conn, err
}

// endedAtOnce is an attempt behind a published port that ended before any byte: the port's forwarder is there, the app
// is not, or does not want to speak. That is for the look to say; what it has found alive may end as it likes.
func (c *connection) endedAtOnce(ctx context.Context, lease pool.Lease, err error) error {
	if !c.front.starts.mayReport(lease.Upstream) {
		return errEndedAlive
	}
	return c.failed(ctx, lease, &failure{"ended", err})
}

// mayRepeat says whether another attempt follows, and until when it may be waited for.
func (c *connection) mayRepeat(ctx context.Context, lease pool.Lease, err error) bool {
	var failed *failure
	if !errors.As(err, &failed) || ctx.Err() != nil {
		return false
	}
	c.lost = err
	if c.until.IsZero() {
		c.until = time.Now().Add(c.route.app.holdMax)
	}
	c.avoided = lease.Upstream
	return true
}

// join lets the two speak until both have ended, the start is over or we are. Whoever is left then is reset: an end would
// say that all was said.
func (c *connection) join(ended context.Context, app net.Conn, greeting []byte, lease pool.Lease) {
	o := c.options()
	o.EarlyA, o.EarlyB = c.early, greeting
	c.lease = lease
	relay.Join(ended, c.client, app, o, c.parts)
}

func (s *story) options() relay.Options {
	o := relay.Options{Idle: s.route.app.tcpIdle, Reset: cuts}
	if s.published != nil {
		o.EndB = s.published.ended
	}
	return o
}

// cuts says whether the end of a connection must look like one that cuts it off.
func cuts(cause error) bool { return !errors.Is(cause, relay.ErrIdle) }

// reset makes the next Close say so to the peer.
func reset(conn net.Conn) {
	_ = setLinger(conn, 0)
}

func addressOf(peer net.Addr) netip.AddrPort {
	if addr, ok := peer.(*net.TCPAddr); ok {
		at := addr.AddrPort()
		return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	}
	return netip.AddrPort{}
}
