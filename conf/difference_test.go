package conf

import (
	"reflect"
	"testing"
)

func TestDifference(t *testing.T) {
	const base = "apps:\n  a: {image: x, env: {T: '1'}}\n  b: {image: x}\n"
	for what, c := range map[string]struct {
		content string
		want    Diff
	}{
		"nothing":        {base, Diff{}},
		"a comment":      {"# hello\n" + base, Diff{}},
		"apps":           {"apps:\n  a: {image: y, env: {T: '1'}}\n  c: {image: x}\n", Diff{Added: []string{"c"}, Removed: []string{"b"}, Changed: []string{"a"}}},
		"a secret":       {"apps:\n  a: {image: x, env: {T: '2'}}\n  b: {image: x}\n", Diff{Changed: []string{"a"}}},
		"by the default": {base + "defaults: {seats: 2}\n", Diff{Changed: []string{"a", "b"}}},
		"hosts":          {base + "hosts: {h: {url: 'unix:///s'}}\n", Diff{Hosts: true}},
		"listeners":      {base + "listen: {metrics: ':1'}\n", Diff{Listeners: true}},
		"settings":       {base + "log: {level: debug}\nadmin: {token: t}\n", Diff{Settings: true}},
		"fixed":          {base + "instance: other\nstate: /s\n", Diff{Restart: []string{"instance", "state"}}},
	} {
		got := Difference(loaded(t, base), loaded(t, c.content))
		if !reflect.DeepEqual(got, c.want) || got.Empty() != reflect.DeepEqual(c.want, Diff{}) {
			t.Errorf("%s: got %+v, want %+v", what, got, c.want)
		}
	}
}

// P10: nothing is lost by a file that was cut off.
func TestLosingAllAppsIsRefused(t *testing.T) {
	full, empty := loaded(t, minimal), loaded(t, "")
	if Difference(full, empty).Refused == "" {
		t.Error("not refused")
	}
	if d := Difference(empty, full); d.Refused != "" {
		t.Errorf("refused: %s", d.Refused)
	}
	if d := Difference(empty, empty); d.Refused != "" {
		t.Errorf("refused: %s", d.Refused)
	}
}
