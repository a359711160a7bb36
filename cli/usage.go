package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/admin"
)

func (p *Program) usageCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "usage",
		Short: "Show what each replica takes",
		Args:  none,
		RunE: p.connected(func(c *cobra.Command, conn *connection, _ []string) error {
			ctx, cancel := bounded(c)
			defer cancel()
			usages, err := conn.Usage(ctx)
			switch {
			case err != nil:
				return conn.doing(err, "read the usage")
			case asJSON:
				return p.printJSON(usages)
			}
			p.showUsage(usages)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (p *Program) showUsage(usages []admin.Usage) {
	if len(usages) == 0 {
		p.print("no replica runs\n")
		return
	}
	table := p.table()
	fmt.Fprintln(table, "APP\tREPLICA\tHOST\tMEMORY\tCPU TIME")
	for _, u := range usages {
		memory, cpu := "-", "-"
		if u.Error == "" {
			memory = fmt.Sprintf("%.1f MiB", float64(u.Memory)/(1<<20))
			cpu = time.Duration(u.CPU * float64(time.Second)).Round(10 * time.Millisecond).String()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", u.App, u.Replica, u.Host, memory, cpu)
	}
	table.Flush()
	for _, u := range usages {
		if u.Error != "" {
			p.print("%s %s: %s\n", u.App, u.Replica, u.Error)
		}
	}
}
