package conf

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var errUnclosed = errors.New("${ without its }: write $${ for a literal one")

// interpolate replaces ${VAR} and ${VAR:-default}; $${ is a literal ${, and any other $ is itself. A default may hold
// ${…} again. It reports whether anything was replaced.
func interpolate(s string, environ map[string]string) (string, bool, error) {
	if !strings.Contains(s, "${") {
		return s, false, nil
	}
	e := expansion{rest: s, environ: environ}
	out, err := e.until("")
	return out, true, err
}

type expansion struct {
	rest    string
	environ map[string]string
	depth   int
}

// until expands up to the closing brace, or to the end when closing is empty.
func (e *expansion) until(closing string) (string, error) {
	var out strings.Builder
	for e.rest != "" {
		switch {
		case strings.HasPrefix(e.rest, "$${"):
			out.WriteString("${")
			e.rest = e.rest[3:]
		case strings.HasPrefix(e.rest, "${"):
			e.rest = e.rest[2:]
			text, err := e.reference()
			if err != nil {
				return "", err
			}
			out.WriteString(text)
		case closing != "" && strings.HasPrefix(e.rest, closing):
			e.rest = e.rest[len(closing):]
			return out.String(), nil
		default:
			out.WriteByte(e.rest[0])
			e.rest = e.rest[1:]
		}
	}
	if closing != "" {
		return "", errUnclosed
	}
	return out.String(), nil
}

// reference reads NAME} or NAME:-default}.
func (e *expansion) reference() (string, error) {
	if e.depth++; e.depth > depthLimit {
		return "", errors.New("${…} is nested too deep")
	}
	defer func() { e.depth-- }()
	end := strings.IndexAny(e.rest, "}:")
	if end < 0 {
		return "", errUnclosed
	}
	name, defaulted := e.rest[:end], strings.HasPrefix(e.rest[end:], ":-")
	if !variable.MatchString(name) || (e.rest[end] == ':' && !defaulted) {
		return "", fmt.Errorf("${%s…: only ${VAR} and ${VAR:-default} are known; write $${ for a literal ${", name)
	}
	text, set := e.environ[name]
	if !defaulted {
		e.rest = e.rest[end+1:]
		if !set {
			return "", fmt.Errorf("${%s} is not set in the environment and has no default", name)
		}
		return text, nil
	}
	e.rest = e.rest[end+2:]
	fallback, err := e.fallback(text != "")
	if text != "" {
		return text, err
	}
	return fallback, err
}

// fallback expands a default; a variable in it may be unset when it is not needed.
func (e *expansion) fallback(skip bool) (string, error) {
	if !skip {
		return e.until("}")
	}
	for open := 1; open > 0; {
		i := strings.IndexAny(e.rest, "$}")
		if i < 0 {
			return "", errUnclosed
		}
		switch {
		case e.rest[i] == '}':
			open--
		case strings.HasPrefix(e.rest[i:], "$${"):
			i += 2
		case strings.HasPrefix(e.rest[i:], "${"):
			open++
			i++
		}
		e.rest = e.rest[i+1:]
	}
	return "", nil
}
