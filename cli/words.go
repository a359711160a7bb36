package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// one wants exactly one argument, and says so in the command's own words.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s: want one %s, got %d", c.Name(), what, len(args))
		}
		return nil
	}
}

// counted is "1 app", "2 apps".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// none wants no argument.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: want no argument, got %s", c.Name(), args[0])
	}
	return nil
}

// ago tells a duration in one unit, or two.
func ago(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
	}
}

// short is an id as people read it.
func short(id string) string { return id[:min(len(id), 12)] }

func orDash(s string) string { return cmp.Or(s, "-") }
