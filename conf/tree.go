package conf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The tree that the layers merge to is map[string]any and []any, as koanf has it, with scalars as leaves. A scalar keeps
// its text, because what it means depends on the field: `env: {ON: 1e3}` is the text 1e3, not a thousand.
type scalar struct {
	Text   string
	Tag    string // YAML's short tag of Text: !!str, !!int, !!null …
	Source string // what may be shown: Text before ${…} was replaced
	Plain  bool   // written without quotes, and nothing was replaced in it
	Quoted bool   // written with quotes, and nothing was replaced in it
	Loose  bool   // from the environment or a flag, where a list is written with commas
	Broken bool   // noted already
}

func (s scalar) null() bool { return s.Tag == "!!null" && s.Plain }

// position is where something was written.
type position struct {
	file string
	line int
}

// places maps a path to where it was last written. koanf merges values only, so it is kept beside the tree.
type places map[string]position

const pathSeparator = "\x00"

func joined(path []string) string { return strings.Join(path, pathSeparator) }

// of is where a path was written, or else the nearest thing around it.
func (p places) of(path []string) position {
	for n := len(path); n >= 0; n-- {
		if at, ok := p[joined(path[:n])]; ok {
			return at
		}
	}
	return position{}
}

// graft writes what lies under one path under another one too, where nothing is yet.
func (p places) graft(from, to []string) {
	prefix, target := joined(from), joined(to)
	grafted := places{}
	for path, at := range p {
		if rest, ok := strings.CutPrefix(path, prefix); ok && strings.HasPrefix(rest, pathSeparator) {
			grafted[target+rest] = at
		}
	}
	for path, at := range grafted {
		if _, own := p[path]; !own {
			p[path] = at
		}
	}
}

// reading is one Load: where things were written, and what was found wrong.
type reading struct {
	at       places
	notes    notes
	warnings notes
	strayed  map[string]bool // maps that had a key which is unknown: "is missing" would mislead there
	home     string
}

// value is a part of the tree with its path.
type value struct {
	raw  any // nil: not given
	path []string
	in   *reading
}

func (v value) get(keys ...string) value {
	for _, key := range keys {
		m, _ := v.raw.(map[string]any)
		v = value{m[key], append(slices.Clip(v.path), key), v.in}
	}
	return v
}

func (v value) items() []value {
	list, _ := v.raw.([]any)
	out := make([]value, len(list))
	for i, item := range list {
		out[i] = value{item, append(slices.Clip(v.path), strconv.Itoa(i)), v.in}
	}
	return out
}

// item is one of a list, or the value itself where a single one stands for a list.
func (v value) item(i int) value {
	if items := v.items(); i < len(items) {
		return items[i]
	}
	return v
}

// given reports whether somebody wrote it; null takes back what a lower layer wrote.
func (v value) given() bool {
	s, ok := v.raw.(scalar)
	return v.raw != nil && !(ok && s.null())
}

func (v value) key() string { return strings.Join(v.path, ".") }

func (v value) problem(hint, format string, args ...any) Problem {
	at := v.in.at.of(v.path)
	return Problem{File: at.file, Line: at.line, Key: v.key(), Message: fmt.Sprintf(format, args...), Hint: hint}
}

func (v value) fail(format string, args ...any) { v.hint("", format, args...) }

func (v value) hint(hint, format string, args ...any) {
	v.in.notes.add(v.problem(hint, format, args...))
}

func (v value) warn(hint, format string, args ...any) {
	v.in.warnings.add(v.problem(hint, format, args...))
}

// shown is the value as a message may show it: before ${…} was replaced, so that no secret gets into a log.
func (v value) shown() string {
	switch raw := v.raw.(type) {
	case scalar:
		return strconv.Quote(raw.Source)
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	}
	return "nothing"
}

// file makes a path absolute: relative to the file that says it, or else to the working directory.
func (v value) file(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') && v.in.home != "" {
		path = v.in.home + rest
	}
	if at := v.in.at.of(v.path); at.line > 0 && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.file), path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Join(string(os.PathSeparator), path)
}
