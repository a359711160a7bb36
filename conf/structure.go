package conf

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// field is a key of a struct: `conf:"name,option"`, and `oneof:"a b"` for the words that it takes.
type field struct {
	value  reflect.Value
	option string
	oneof  []string
}

// fieldsOf finds the keys of a struct, those of embedded structs included.
func fieldsOf(v reflect.Value) map[string]field {
	out := map[string]field{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			maps.Copy(out, fieldsOf(reflect.Indirect(v.Field(i))))
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("conf"), ",")
		if name != "" && name != "-" {
			out[name] = field{v.Field(i), option, strings.Fields(f.Tag.Get("oneof"))}
		}
	}
	return out
}

func (v value) structure(dst reflect.Value) {
	if _, ok := v.raw.(map[string]any); !ok {
		v.wrong("a map")
		return
	}
	v.fields(fieldsOf(dst))
}

// fields reads a map, and refuses what is not among them.
func (v value) fields(fields map[string]field) {
	given, _ := v.raw.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		f, known := fields[key]
		switch under := v.get(key); {
		case !known:
			v.in.strayed[joined(v.path)] = true
			under.hint(suggest(v.path, key, slices.Sorted(maps.Keys(fields))), "unknown key")
		case under.given():
			under.assign(f.value, f.option)
			under.oneOf(f)
		}
	}
}

// oneOf refuses a word that the field does not take. One of the wrong type was noted when it was decoded.
func (v value) oneOf(f field) {
	s, ok := v.raw.(scalar)
	if !ok || len(f.oneof) == 0 || f.value.String() != s.Text || slices.Contains(f.oneof, s.Text) {
		return
	}
	v.fail("expected %s, got %s", alternatives(f.oneof), v.shown())
}

func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
