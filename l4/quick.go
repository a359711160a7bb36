package l4

import (
	"context"
	"net"
	"net/netip"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// accepted begins the story of a connection that a loop has accepted. It runs on the loop.
func (f *Front) accepted(s relay.Socket, key socketKey) {
	if !f.stories.Begin() {
		s.Close()
		return
	}
	table := f.table.Load()
	if told, to := f.quick(s, key, table); told != nil {
		told.joinWith(s, to)
		return
	}
	go f.atLength(s, key, table)
}

// atLength tells a story in which something has to be waited for, or read first.
func (f *Front) atLength(s relay.Socket, key socketKey, table *table) {
	conn, err := s.Conn()
	if err != nil {
		f.unaccepted(key, err, 0)
		f.stories.End()
		return
	}
	f.serve(conn, net.TCPAddrFromAddrPort(s.Remote), key, table)
}

// quick admits a client where there is nothing to be waited for and nothing to be read first: the port has one route, the
// app has a replica that is ready, and its own address is known. Nil if that is not so.
func (f *Front) quick(s relay.Socket, key socketKey, table *table) (*story, netip.AddrPort) {
	none := func() (*story, netip.AddrPort) { return nil, netip.AddrPort{} }
	port := table.ports[key]
	if !f.mayJoin || port == nil || !port.simple() || table.proxied[key.address] {
		return none()
	}
	route, source := port.plain, s.Remote.Addr()
	app := f.pool.App(route.app.name)
	if app == nil || !route.app.enter() {
		return none()
	}
	visitor := pool.Visitor{}
	if route.app.bySource {
		visitor.Source = sourceOf(source)
	}
	admission := app.Admit(visitor)
	if admission.Outcome != pool.Served {
		route.app.leave()
		return none()
	}
	endpoint := endpointOf(admission.Lease, route.port)
	if !endpoint.Addr.IsValid() || !endpoint.Direct {
		admission.Lease.Release()
		route.app.leave()
		return none()
	}
	told := f.begins(key.address, s.Remote)
	told.route, told.lease = route, admission.Lease
	told.record.replica = admission.Lease.Replica.ID
	told.counts()
	return told, endpoint.Addr
}

// simple says whether a port's clients all go one way, unread.
func (p *port) simple() bool { return p.plain != nil && len(p.names) == 0 && p.plain.proxy == 0 }

// joinWith is join with an app that has to be dialled. If that fails, the story is told at length.
func (s *story) joinWith(client relay.Socket, to netip.AddrPort) {
	ended := s.front.starts.of(s.lease.Upstream).ended
	relay.Dialer{}.Join(ended, client, to, true, s.options(), s.parts,
		func(err error) { go s.notDialled(ended, client, err) })
}

// notDialled goes on after a dial that failed: nothing was read of the client yet.
func (s *story) notDialled(ended context.Context, client relay.Socket, err error) {
	lease := s.lease
	conn, failed := client.Conn()
	if failed != nil {
		lease.Release()
		s.refused(failed)
		return
	}
	c := &connection{story: s, client: conn}
	c.comes(net.TCPAddrFromAddrPort(client.Remote), conn.LocalAddr())
	if cause := context.Cause(ended); cause != nil {
		err = cause
	}
	ctx := c.front.service
	err = c.failed(ctx, lease, &failure{"dial", err})
	lease.Release()
	if c.mayRepeat(ctx, lease, err) {
		err = c.attempts(ctx)
	}
	c.conclude(err)
}
