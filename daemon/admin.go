package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/conf"
)

// openAdmin opens what operators and scrapers talk to, as far as it is configured.
func (d *daemon) openAdmin(ctx context.Context, config *conf.Config) error {
	if err := d.openMetrics(ctx, config.Listen.Metrics); err != nil {
		return err
	}
	if config.Listen.Admin == "" {
		return nil
	}
	token, err := adminToken(config)
	if err != nil {
		return err
	}
	listener, err := d.sockets.private(config.Listen.Admin, admin.Listen)
	if err != nil {
		return err
	}
	go d.serveAdmin(ctx, "admin", listener, admin.New(admin.Options{
		Pool: d.pool, Fleet: d.fleet, Journal: d.journal, Control: control{d, ctx}, Token: token,
		Hosts: d.hostStatuses, Ready: d.ready, Gatherer: d.metrics, Version: d.Version,
	}))
	return nil
}

// adminToken is the configured one, else one that is made and kept in state.
func adminToken(config *conf.Config) (string, error) {
	if token := config.Admin.Token.Reveal(); token != "" {
		return token, nil
	}
	return admin.EnsureToken(config.State)
}

// openMetrics opens the listener of its own for scrapers; empty: there is none.
func (d *daemon) openMetrics(ctx context.Context, address string) error {
	if address == "" {
		return nil
	}
	listener, err := d.sockets.listen(address, openTCP)
	if err != nil {
		return fmt.Errorf("listen for metrics on %s: %w", address, err)
	}
	go d.serveAdmin(ctx, "metrics", listener, admin.NewMetrics(d.metrics))
	return nil
}

// serveAdmin ends the run if it fails before ctx does.
func (d *daemon) serveAdmin(ctx context.Context, what string, listener net.Listener, handler http.Handler) {
	if err := admin.Serve(ctx, listener, handler); err != nil && !errors.Is(err, http.ErrServerClosed) {
		d.fail(fmt.Errorf("serve %s: %w", what, err))
	}
}
