package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// layers merges files, environment and flags: maps merge, everything else replaces.
type layers struct {
	koanf  *koanf.Koanf
	in     *reading
	broken bool // a file could not be read or parsed: what the rest lacks may stand there
}

func newLayers(in *reading) *layers { return &layers{koanf: koanf.New(pathSeparator), in: in} }

func (l *layers) path(path string, environ map[string]string) {
	files, err := filesOf(path)
	if err != nil {
		l.in.notes.add(Problem{File: path, Message: err.Error()})
		l.broken = true
	}
	for _, name := range files {
		err := l.koanf.Load(file.Provider(name), &parser{file: name, environ: environ, in: l.in})
		if err != nil && err != errSyntax {
			l.in.notes.add(Problem{File: name, Message: bare(err).Error()})
		}
		l.broken = l.broken || err != nil
	}
}

func (l *layers) environment(environ []string) {
	e := environment{tree: l.tree(), in: l.in}
	l.load(e.provider(environ))
}

func (l *layers) flags(flags map[string]any) {
	tree := make(map[string]any, len(flags))
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		path := strings.Split(key, ".")
		l.in.at[joined(path)] = position{file: "--" + key}
		tree[key] = l.flag(key, path, flags[key])
	}
	l.load(confmap.Provider(tree, "."))
}

func (l *layers) flag(key string, path []string, given any) any {
	list, ok := given.([]string)
	if !ok {
		return l.in.flow("--"+key, fmt.Sprint(given), path)
	}
	items := make([]any, len(list))
	for i, item := range list {
		items[i] = loose(item)
	}
	return items
}

func (l *layers) load(provider koanf.Provider) {
	if err := l.koanf.Load(provider, nil); err != nil {
		l.in.notes.add(Problem{Message: err.Error()})
	}
}

func (l *layers) tree() map[string]any { return l.koanf.Raw() }

// merged lays maps over each other by the same rule.
func merged(maps ...map[string]any) map[string]any {
	k := koanf.New(pathSeparator)
	for _, m := range maps {
		// Neither this provider nor a merge that is not strict can fail.
		_ = k.Load(confmap.Provider(m, ""), nil)
	}
	return k.Raw()
}
