package daemon

import (
	"context"
	"net"

	"github.com/fairlead/fairlead/l7"
)

// serveTLS offers what the front speaks, with the certificates of the moment, and HTTP/3 on the same port for as long.
func (d *daemon) serveTLS(l net.Listener) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go d.serveHTTP3(ctx, l.Addr().String())
	return d.front.ServeTLS(l, d.certs.TLSConfig(l7.Protocols()...))
}

// serveHTTP3 is an offer more: where UDP is not to be had, HTTPS is served over TCP alone.
func (d *daemon) serveHTTP3(ctx context.Context, address string) {
	socket, err := net.ListenPacket("udp", address)
	if err == nil {
		err = d.front.ServeHTTP3(ctx, socket, d.certs.TLSConfig(l7.ProtocolHTTP3))
	}
	if err != nil {
		d.log.Warn("HTTP/3 is not served", "listener", address, "error", err)
	}
}
