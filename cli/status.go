package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/pool"
)

// overview is `status --json`.
type overview struct {
	Version string             `json:"version"`
	Apps    []admin.App        `json:"apps"`
	Hosts   []admin.HostStatus `json:"hosts"`
}

func (p *Program) statusCommand() *cobra.Command {
	return p.shows("status", "Show apps, replicas and hosts", func(o overview) (any, func()) {
		return o, func() {
			p.showApps(o.Apps)
			p.showFailures(o.Apps)
			p.showTroubles(o.Apps)
			p.print("\n")
			p.showHosts(o.Hosts)
		}
	})
}

// shows is a command that shows a part of the overview: as JSON, or to people.
func (p *Program) shows(use, about string, part func(overview) (json any, show func())) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: use, Short: about, Args: none}
	c.RunE = p.connected(func(c *cobra.Command, conn *connection, _ []string) error {
		seen, err := p.overview(c, conn)
		if err != nil {
			return err
		}
		json, show := part(seen)
		if asJSON {
			return p.printJSON(json)
		}
		show()
		return nil
	})
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (p *Program) overview(c *cobra.Command, conn *connection) (o overview, err error) {
	ctx, cancel := bounded(c)
	defer cancel()
	release, err := conn.Release(ctx)
	if err == nil {
		o.Version = release.Version
		o.Apps, err = conn.Apps(ctx)
	}
	if err == nil {
		o.Hosts, err = conn.Hosts(ctx)
	}
	return o, conn.doing(err, "read the status")
}

func (p *Program) showApps(apps []admin.App) {
	if len(apps) == 0 {
		p.print("no apps\n")
		return
	}
	table := p.table()
	fmt.Fprintln(table, "APP\tSTATE\tREPLICAS\tSESSIONS\tUPSTREAM\tHOST\tSINCE")
	for _, app := range apps {
		lines := p.replicaLines(app)
		count := fmt.Sprintf("%d/%d", len(app.Replicas), app.Policy.Max)
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", app.Name, appState(app), count, app.Sessions, lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(table, "\t\t\t\t%s\n", line)
		}
	}
	table.Flush()
}

// appState adds how many wait, since they are why the rest may change.
func appState(app admin.App) string {
	if app.Waiting > 0 {
		return fmt.Sprintf("%s, %d waiting", app.State, app.Waiting)
	}
	return app.State
}

// replicaLines tell of each replica; its state where the app's does not say it already. There is at least one.
func (p *Program) replicaLines(app admin.App) []string {
	lines := make([]string, 0, len(app.Replicas))
	for _, r := range app.Replicas {
		where := orDash(r.Upstream)
		if word := replicaState(r); word != app.State {
			where = strings.TrimPrefix(where+" "+word, "- ")
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", where, orDash(r.Host), p.since(r.Started)))
	}
	if len(lines) == 0 {
		return []string{"-\t-\t-"}
	}
	return lines
}

func replicaState(r admin.Replica) string {
	word := r.State
	if r.Suspect && r.State == pool.Ready.String() {
		word = "suspect"
	}
	if r.Outdated {
		word += " outdated"
	}
	return word
}

// since tells the age of a start. The engine's clock is another one than ours: good enough for people.
func (p *Program) since(started string) string {
	at, err := time.Parse(time.RFC3339Nano, started)
	if err != nil {
		return orDash(started)
	}
	return ago(p.now().Sub(at))
}

func (p *Program) showFailures(apps []admin.App) {
	for _, app := range apps {
		f := app.Failure
		if f == nil {
			continue
		}
		why := strings.TrimSuffix(f.Reason+": "+f.Detail, ": ")
		next := "now"
		if wait := f.Until.Sub(p.now()); wait >= time.Second {
			next = "in " + ago(wait)
		}
		p.print("\n%s: %s (%s, next %s)\n", app.Name, indented(why), counted(f.Tries, "failed start"), next)
	}
}

func (p *Program) showTroubles(apps []admin.App) {
	for _, app := range apps {
		for _, r := range app.Replicas {
			if r.Trouble != "" {
				p.print("\n%s, replica %s: %s\n", app.Name, r.ID, indented(r.Trouble))
			}
		}
	}
}

func (p *Program) showHosts(hosts []admin.HostStatus) {
	if len(hosts) == 0 {
		p.print("no hosts\n")
		return
	}
	table := p.table()
	fmt.Fprintln(table, "HOST\tSTATE\tREPLICAS\tENGINE\tREACH\tURL")
	for _, h := range hosts {
		engine := strings.TrimSpace(h.Engine + " " + h.Release)
		if h.Rootless {
			engine += " rootless"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", h.Name, h.State, h.Replicas,
			orDash(engine), orDash(h.Reach), orDash(h.URL))
	}
	table.Flush()
	for _, h := range hosts { // below, since what SSH has to say is long
		if h.Error != "" {
			p.print("%s: %s\n", h.Name, h.Error)
		}
	}
}

func (p *Program) table() *tabwriter.Writer { return tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0) }

func (p *Program) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	p.print("%s\n", text)
	return nil
}
