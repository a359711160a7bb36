package conf

import (
	"maps"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/env/v2"
	"go.yaml.in/yaml/v3"
)

const environPrefix = "FAIRLEAD_"

// These are the command line's own.
var notConfig = []string{"FAIRLEAD_CONFIG", "FAIRLEAD_ADMIN", "FAIRLEAD_TOKEN"}

// environment turns FAIRLEAD_LISTEN__HTTP=:80 into listen.http, over the tree that the files made.
type environment struct {
	tree map[string]any
	in   *reading
}

func (e environment) provider(environ []string) *env.Env {
	return env.Provider(pathSeparator, env.Opt{
		Prefix:        environPrefix,
		EnvironFunc:   func() []string { return e.unambiguous(environ) },
		TransformFunc: e.transform,
	})
}

func (e environment) transform(name, text string) (string, any) {
	path := e.path(name)
	e.in.at[joined(path)] = position{file: name}
	for n := 1; n < len(path); n++ {
		if _, written := e.in.at[joined(path[:n])]; !written {
			e.in.at[joined(path[:n])] = position{file: name}
		}
	}
	if len(path) > 1 && free[path[len(path)-2]] {
		return joined(path), loose(text)
	}
	return joined(path), e.in.flow(name, text, path)
}

// unambiguous keeps our own variables, and of X=… and X__Y=… only the first: which of them wins would be chance.
func (e environment) unambiguous(environ []string) []string {
	var kept []string
	taken := map[string]string{}
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, environPrefix) || slices.Contains(notConfig, name) {
			continue
		}
		path := e.path(name)
		if other, clash := clashing(taken, path); clash {
			e.in.notes.add(Problem{File: name, Message: "contradicts " + other})
			continue
		}
		taken[joined(path)] = name
		kept = append(kept, entry)
	}
	return kept
}

func clashing(taken map[string]string, path []string) (string, bool) {
	own := joined(path)
	for _, other := range slices.Sorted(maps.Keys(taken)) {
		if own == other || strings.HasPrefix(own, other+pathSeparator) || strings.HasPrefix(other, own+pathSeparator) {
			return taken[other], true
		}
	}
	return "", false
}

// Maps whose keys and values are the app's business: kept as they are written.
var free = map[string]bool{"env": true, "labels": true}

// path finds the keys that a variable means: those of the tree, ignoring case and - against _, else in lower case.
func (e environment) path(name string) []string {
	var path []string
	node := e.tree
	for _, word := range strings.Split(strings.TrimPrefix(name, environPrefix), "__") {
		key, ok := existing(node, word)
		switch {
		case ok:
		case len(path) > 0 && free[path[len(path)-1]]:
			key = word
		default:
			key = strings.ToLower(word)
		}
		path = append(path, key)
		node, _ = node[key].(map[string]any)
	}
	return path
}

func existing(m map[string]any, word string) (string, bool) {
	if _, ok := m[word]; ok {
		return word, true
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if strings.EqualFold(strings.ReplaceAll(key, "-", "_"), strings.ReplaceAll(word, "-", "_")) {
			return key, true
		}
	}
	return "", false
}

// flow reads the text of a variable or flag: YAML if it is written as a list or a map, else a scalar.
func (r *reading) flow(name, text string, path []string) any {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return loose(text)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return loose(text)
	}
	p := parser{file: name, in: r, literal: true}
	return p.convert(&document, path, 0)
}

func loose(text string) scalar {
	tag := (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag()
	return scalar{Text: text, Tag: tag, Source: text, Loose: true}
}
