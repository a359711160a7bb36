package cli

import "github.com/spf13/cobra"

func (p *Program) hostsCommand() *cobra.Command {
	c := p.shows("hosts", "Show the container engines", func(o overview) (any, func()) {
		return o.Hosts, func() { p.showHosts(o.Hosts) }
	})
	c.AddCommand(p.forgetCommand())
	return c
}

func (p *Program) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget HOST",
		Short: "Give up the replicas of a host whose engine is another one now",
		Args:  one("HOST"),
		RunE: p.connected(func(c *cobra.Command, conn *connection, args []string) error {
			ctx, cancel := bounded(c)
			defer cancel()
			hosts, err := conn.Forget(ctx, args[0])
			if err != nil {
				return conn.doing(err, "forget host %s", args[0])
			}
			p.showHosts(hosts)
			return nil
		}),
	}
}
