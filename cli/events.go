package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/journal"
)

func (p *Program) eventsCommand() *cobra.Command {
	var follow, asJSON bool
	var app string
	var tail int
	c := &cobra.Command{
		Use:   "events",
		Short: "Show what happened",
		Args:  none,
		RunE: p.connected(func(c *cobra.Command, conn *connection, _ []string) error {
			show := p.showEvent
			if asJSON {
				show = p.showEventJSON
			}
			return conn.doing(p.events(c, conn, app, tail, follow, show), "read the events")
		}),
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as they come")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	c.Flags().StringVar(&app, "app", "", "of one `app`")
	c.Flags().IntVarP(&tail, "tail", "n", 100, "the last `lines` of those that were kept; 0: all")
	return c
}

func (p *Program) events(c *cobra.Command, conn *connection, app string, tail int, follow bool, show func(journal.Event) error) error {
	ctx, cancel := bounded(c)
	defer cancel()
	events, err := conn.Events(ctx, 0, app)
	if err != nil {
		return err
	}
	since := uint64(0)
	if n := len(events); n > 0 {
		since = events[n-1].Seq
	}
	if tail > 0 {
		events = events[max(0, len(events)-tail):]
	}
	for _, e := range events {
		if err := show(e); err != nil {
			return err
		}
	}
	if !follow {
		return nil
	}
	following, stop := interruptible(c)
	defer stop()
	err = conn.Follow(following, since, app, show)
	if errors.Is(err, context.Canceled) {
		return nil // Ctrl-C is how following ends
	}
	return err
}

func (p *Program) showEventJSON(e journal.Event) error {
	text, err := json.Marshal(e)
	if err == nil {
		_, err = fmt.Fprintf(p.Stdout, "%s\n", text)
	}
	return err
}

func (p *Program) showEvent(e journal.Event) error {
	line := e.Time.Local().Format("2006-01-02 15:04:05.000") + "  " + string(e.Word)
	for _, part := range []struct{ name, value string }{
		{"app", e.App}, {"replica", e.Replica}, {"container", short(e.Container)}, {"host", e.Host},
		{"trigger", string(e.Trigger)},
	} {
		if part.value != "" {
			line += "  " + part.name + "=" + part.value
		}
	}
	if e.Cause != "" {
		line += "  " + indented(strings.TrimSpace(e.Cause))
	}
	_, err := fmt.Fprintln(p.Stdout, line)
	return err
}
