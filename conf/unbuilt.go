package conf

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// notBuilt is the part of the schema that this version refuses by name. Whoever builds a thing deletes its line here.
// A line is a pattern of keys, and after "=" the value that is meant ("ssh://*": whatever begins so). `defaults` and
// `templates` are matched as apps, list items as their list.
var notBuilt = []string{
	"apps.*.adopt.unit",
}

// refuseUnbuilt notes what is not built and takes it out of the tree, so that nobody calls it unknown as well.
func refuseUnbuilt(v value) {
	switch raw := v.raw.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(raw)) {
			if under := v.get(key); under.refused() {
				v.in.strayed[joined(v.path)] = true
				delete(raw, key)
			} else {
				refuseUnbuilt(under)
			}
		}
	case []any:
		for i, item := range v.items() {
			if item.refused() {
				raw[i] = scalar{Broken: true}
			}
			refuseUnbuilt(item)
		}
	}
}

func (v value) refused() bool {
	own := pattern(v.path)
	for _, line := range notBuilt {
		key, want, valued := strings.Cut(line, "=")
		if own != key {
			continue
		}
		if !valued {
			v.fail("is not built yet")
			return true
		}
		s, ok := v.raw.(scalar)
		start, open := strings.CutSuffix(want, "*")
		if ok && (s.Text == want || open && strings.HasPrefix(s.Text, start)) {
			v.fail("%s is not built yet", start)
			return true
		}
	}
	return false
}

// pattern names the place of a path in the schema: apps.*.route.host.
func pattern(path []string) string {
	var out []string
	for i, key := range path {
		switch _, err := strconv.Atoi(key); {
		case i == 0 && key == "defaults":
			out = append(out, "apps", "*")
		case i == 0 && key == "templates":
			out = append(out, "apps")
		case i == 1 && (out[0] == "apps" || out[0] == "hosts") && len(out) == 1:
			out = append(out, "*")
		case err == nil && i > 1:
		default:
			out = append(out, key)
		}
	}
	return strings.Join(out, ".")
}
