package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fairlead/fairlead/conf"
)

// source is where the configuration is: the files of -c, else of FAIRLEAD_CONFIG, the environment, and the flags.
func (p *Program) source(flags map[string]any) conf.Source {
	return conf.Source{Paths: p.paths(), Environ: p.Environ, Flags: flags}
}

func (p *Program) paths() []string {
	if len(p.files) > 0 {
		return p.files
	}
	if path := p.env("FAIRLEAD_CONFIG"); path != "" {
		return []string{path}
	}
	return nil
}

var errNoConfig = hinted{
	error: errors.New("no configuration is named"),
	hint:  "name a file or a directory with -c FILE or FAIRLEAD_CONFIG",
	usage: true,
}

// load is for commands that are about a configuration, so that one must be named.
func (p *Program) load(source conf.Source) (*conf.Config, error) {
	if len(source.Paths) == 0 {
		return nil, errNoConfig
	}
	return conf.Load(source)
}

func settings(set []string) (map[string]any, error) {
	flags := map[string]any{}
	for _, entry := range set {
		key, value, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			err := fmt.Errorf("--set %s: want key=value", entry)
			return nil, hinted{error: err, hint: "for example --set log.level=debug", usage: true}
		}
		flags[key] = value
	}
	return flags, nil
}
