package cli

import (
	"github.com/spf13/cobra"
)

func (p *Program) hostsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "hosts",
		Short: "Show the container engines",
		Args:  none,
		RunE: func(c *cobra.Command, _ []string) error {
			seen, err := p.overview(c)
			switch {
			case err != nil:
				return err
			case asJSON:
				return p.printJSON(seen.Hosts)
			}
			p.showHosts(seen.Hosts)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.AddCommand(p.forgetCommand())
	return c
}

func (p *Program) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget HOST",
		Short: "Give up the replicas of a host whose engine is another one now",
		Args:  one("HOST"),
		RunE: func(c *cobra.Command, args []string) error {
			conn, err := p.connect()
			if err != nil {
				return err
			}
			ctx, cancel := bounded(c)
			defer cancel()
			hosts, err := conn.Forget(ctx, args[0])
			if err != nil {
				return conn.doing(err, "forget host %s", args[0])
			}
			p.showHosts(hosts)
			return nil
		},
	}
}
