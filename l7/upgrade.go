package l7

import (
	"fmt"
	"net"
	"strings"

	"github.com/gobwas/ws"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// upgrade joins the visitor and the app, whose handshake came first. The lease is the upgrade's from then on.
func (s *story) upgrade(lease pool.Lease, response *h1.Response, app net.Conn, appEarly []byte) error {
	if s.key != "" && response.Header.Get("Sec-WebSocket-Accept") != acceptOf(s.key) {
		app.Close()
		return &h1.Error{Phase: h1.Reading, Sent: true, Responded: true, Err: fmt.Errorf("%w: the key was not accepted", h1.ErrUpgrade)}
	}
	protocol := response.Header.Joined("Upgrade")
	header := s.returned(lease, response.Header)
	header.Add("Connection", "Upgrade")
	header.Add("Upgrade", protocol)
	visitor, early, err := s.reply.upgrade(header)
	if err != nil {
		app.Close()
		return errGone
	}
	options := relay.Options{EarlyA: early, EarlyB: appEarly}
	if strings.EqualFold(protocol, "websocket") {
		options.HalfClosed = closeTimeout
		options.Guard = &webSocket{code: s.front.closeCode}
	}
	s.join(lease, visitor, app, options)
	return nil
}

// join carries bytes until both have ended, the replica's start is over, or we are. Where the visitor's connection needs
// nobody to serve it, join does not wait for that: the story ends before its upgrade.
func (s *story) join(lease pool.Lease, visitor, app net.Conn, o relay.Options) {
	ctx, u := s.front.starts.of(lease.Upstream), s.handOver(lease)
	if held, ok := app.(interface {
		Detach() (net.Conn, *h1.Detached)
	}); ok {
		app, u.link = held.Detach() // as it is, it may be served without a goroutine
		o.EndB = u.appEnded
	}
	if s.x.Outlives {
		relay.Join(ctx, visitor, app, o, u.end)
		return
	}
	over := make(chan struct{})
	relay.Join(ctx, visitor, app, o, func(stats relay.Stats, err error) { u.end(stats, err); close(over) })
	<-over
}

// closeCode says why an upgrade ends that neither side has ended: we do, or its replica does.
func (f *Front) closeCode() ws.StatusCode {
	if f.upgrades.Err() != nil {
		return ws.StatusGoingAway
	}
	return statusServiceRestart
}
