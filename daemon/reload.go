package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/journal"
)

// reload reads the configuration again and applies the difference. An invalid one changes nothing.
func (d *daemon) reload(ctx context.Context) error {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	next, err := conf.Load(d.Source)
	if err != nil {
		return d.refuse(err)
	}
	current := d.config.Load()
	diff := conf.Difference(current, next)
	switch {
	case diff.Empty():
		return nil
	case diff.Refused != "":
		return d.refuse(errors.New(diff.Refused))
	case len(diff.Restart) > 0:
		return d.refuse(fmt.Errorf("%s can only change with a restart", strings.Join(diff.Restart, ", ")))
	}
	if err := d.apply(ctx, next); err != nil {
		return d.refuse(err)
	}
	d.journal.Record(journal.Event{Word: journal.ConfigApplied, Trigger: journal.Operator, Cause: describe(diff)})
	return nil
}

func (d *daemon) refuse(err error) error {
	d.journal.Record(journal.Event{Word: journal.ConfigRefused, Trigger: journal.Operator, Cause: err.Error()})
	return fmt.Errorf("%w: %w", admin.ErrRefused, err)
}

// apply puts a valid configuration in force: what can fail comes first. A route leads to an app that is there, so apps come
// before routes and go after them.
func (d *daemon) apply(ctx context.Context, next *conf.Config) error {
	hosts, err := d.hostsOf(ctx, next)
	if err != nil {
		return err
	}
	prepared, err := d.prepare(next)
	if err != nil {
		return err
	}
	d.config.Store(next)
	for _, name := range d.hosts.apply(ctx, hosts) {
		d.forget(name)
	}
	d.apps.bring(ctx, next, prepared.trusts)
	prepared.apply()
	d.apps.retire(next)
	return nil
}

// hostsOf returns the configured hosts, or the one that a search finds. A search is made once: a reload keeps its find.
func (d *daemon) hostsOf(ctx context.Context, config *conf.Config) (map[string]conf.Host, error) {
	if len(config.Hosts) > 0 {
		return config.Hosts, nil
	}
	if !needEngine(config) {
		return nil, nil
	}
	if d.found == nil {
		host, err := search(ctx, os.Getenv, func(line string) { d.log.Info(line) })
		if err != nil {
			return nil, err
		}
		d.found = map[string]conf.Host{"local": host}
	}
	return d.found, nil
}

// needEngine: a Fairlead whose apps are all at fixed addresses does without.
func needEngine(config *conf.Config) bool {
	for _, app := range config.Apps {
		if app.Upstream == "" {
			return true
		}
	}
	return len(config.Apps) == 0
}

func describe(diff conf.Diff) string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, ", "))
		}
	}
	add("added", diff.Added)
	add("removed", diff.Removed)
	add("changed", diff.Changed)
	if diff.Hosts {
		parts = append(parts, "hosts")
	}
	if diff.Listeners {
		parts = append(parts, "listeners")
	}
	if diff.Settings {
		parts = append(parts, "settings")
	}
	return strings.Join(parts, "; ")
}

// followConfig reloads when a file changes and at SIGHUP.
func (d *daemon) followConfig(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	go d.watcher.Watch(ctx, d.Source.Paths, func() { _ = d.reload(ctx) }) // a refusal is in the journal
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			_ = d.reload(ctx)
		}
	}
}
