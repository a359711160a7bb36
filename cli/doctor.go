package cli

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fairlead/fairlead/cli/doctor"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

func (p *Program) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what does not work on this machine, and how to mend it",
		Long:  "Look for what does not work on this machine, for the user who runs this, and how to mend it. Changes nothing.",
		Args:  none,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := doctor.Examine(doctor.Gather(c.Context(), p.surroundings()))
			if err := p.showFindings(findings, asJSON); err != nil {
				return err
			}
			return judged(findings)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func judged(findings []doctor.Finding) error {
	if doctor.Failed(findings) {
		return errors.New("something does not work here: see above")
	}
	return nil
}

// surroundings are those of the machine, and of the configuration if one is named and valid.
func (p *Program) surroundings() doctor.Surroundings {
	s := doctor.Here(p.Environ)
	if len(p.paths()) == 0 {
		return s
	}
	config, err := conf.Load(p.source(nil))
	if err != nil {
		p.warn("the configuration is not valid and was left out: see fairlead check")
		return s
	}
	s.Config, s.Ports = true, portsOf(config)
	s.Engines = append(p.hostsOf(config), s.Engines...)
	return s
}

// hostsOf are the configured engines and the ways to them, as a run would go.
func (p *Program) hostsOf(config *conf.Config) (list []runtime.Candidate) {
	for _, name := range slices.Sorted(maps.Keys(config.Hosts)) {
		host := config.Hosts[name]
		candidate := runtime.Candidate{URL: host.URL, Why: "hosts." + name, SSH: tunnel.SSHOf(p.env)}
		candidate.SSH.Identity, candidate.SSH.KnownHosts = host.Identity, host.KnownHosts
		if host.TLS != nil {
			files := runtime.TLSFiles(*host.TLS)
			candidate.TLS = &files
		}
		list = append(list, candidate)
	}
	return list
}

func portsOf(config *conf.Config) (ports []int) {
	for _, address := range slices.Concat([]string{config.Listen.Admin, config.Listen.Metrics}, config.Listen.HTTP, config.Listen.HTTPS) {
		if _, text, err := net.SplitHostPort(address); err == nil {
			if port, err := strconv.Atoi(text); err == nil {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

func (p *Program) showFindings(findings []doctor.Finding, asJSON bool) error {
	if asJSON {
		return p.printJSON(findings)
	}
	for _, f := range findings {
		word := p.coloured(fmt.Sprintf("%-4s", f.Level), colourOf[f.Level])
		p.print("%s  %-13s  %s\n", word, f.Name, f.Detail)
		for _, line := range f.Fix {
			p.print("%s%s\n", strings.Repeat(" ", 21), line)
		}
	}
	return nil
}

var colourOf = map[doctor.Level]colour{doctor.OK: green, doctor.Warn: yellow, doctor.Fail: red}
