package conf

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Volume is one mount, written as compose's short form: SOURCE:TARGET[:OPTIONS], or TARGET alone.
type Volume struct {
	Source   string   // an absolute path, a volume's name, or empty: anonymous
	Target   string   // absolute
	ReadOnly bool     // from the option ro
	Options  []string // the others, as written: z, Z, U, rshared …
}

var volumeName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

func (v *Volume) decode(from value) {
	if _, ok := from.raw.(map[string]any); ok {
		from.hint("the short form: \"SOURCE:TARGET:ro\"", "expected text, got a map")
		return
	}
	var s string
	if !from.into(&s) {
		return
	}
	parts := strings.Split(s, ":")
	switch len(parts) {
	case 1:
		v.Target = parts[0]
	case 2, 3:
		v.Source, v.Target = from.source(parts[0]), parts[1]
		if len(parts) == 3 {
			v.options(strings.Split(parts[2], ","))
		}
	default:
		from.fail("expected SOURCE:TARGET[:OPTIONS], got %s", from.shown())
		return
	}
	if !filepath.IsAbs(v.Target) {
		from.fail("the target %q is not an absolute path", v.Target)
	}
	v.Target = filepath.Clean(v.Target)
}

func (v *Volume) options(list []string) {
	for _, o := range list {
		v.ReadOnly = v.ReadOnly || o == "ro"
	}
	v.Options = slices.DeleteFunc(list, func(o string) bool { return o == "" || o == "ro" || o == "rw" })
}

// source makes a path absolute (compose: relative to the file that says it) and leaves a volume's name alone.
func (v value) source(s string) string {
	switch {
	case s == "":
		v.fail("no source before the colon")
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "."), strings.HasPrefix(s, "~"):
		return v.file(s)
	case !volumeName.MatchString(s):
		v.hint("a path begins with / or ./", "%q is neither a path nor a volume's name", s)
	}
	return s
}
