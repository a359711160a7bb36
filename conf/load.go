package conf

import (
	"errors"
	"os"
	"strings"
)

// Source is where a configuration comes from; a later field wins over an earlier one.
type Source struct {
	Paths   []string       // files or directories of YAML files, merged in this order
	Environ []string       // as os.Environ gives it: for ${VAR} and for FAIRLEAD_…; nil: an empty environment
	Flags   map[string]any // by dotted key: "listen.http"
}

// Load reads, merges, decodes and checks. Its error is an *Errors with every problem. Secrets and env_files are read
// too, so that a file which is missing is known now and not when a visitor comes.
func Load(src Source) (*Config, error) {
	environ := variables(src.Environ)
	in := &reading{at: places{}, strayed: map[string]bool{}, home: environ["HOME"]}
	layers := newLayers(in)
	for _, path := range src.Paths {
		layers.path(path, environ)
	}
	if err := in.notes.err(); err != nil && layers.broken {
		return nil, err
	}
	layers.environment(src.Environ)
	layers.flags(src.Flags)
	root := value{raw: layers.tree(), in: in}
	config := decodeConfig(root, environ)
	check(config, root)
	if err := in.notes.err(); err != nil {
		return nil, err
	}
	config.warnings = in.warnings.sorted()
	return config, nil
}

func variables(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, text, ok := strings.Cut(entry, "="); ok {
			m[name] = text
		}
	}
	return m
}

// decodeConfig makes the structs, with defaults where nothing was given.
func decodeConfig(root value, environ map[string]string) *Config {
	config := defaultConfig(environ, os.Geteuid())
	document := struct {
		*Config
		Defaults  elsewhere `conf:"defaults"`
		Templates elsewhere `conf:"templates"`
		Apps      elsewhere `conf:"apps"`
	}{Config: config}
	root.into(&document)
	if root.get("state").given() {
		config.State = root.get("state").file(config.State)
	}
	config.Apps = decodeApps(root)
	return config
}

// elsewhere is a known key whose value is decoded by somebody else.
type elsewhere struct{}

func (elsewhere) decode(value) {}

// AsErrors is the problems of an error that Load returned.
func AsErrors(err error) ([]Problem, bool) {
	var all *Errors
	if errors.As(err, &all) {
		return all.Problems, true
	}
	return nil, false
}
