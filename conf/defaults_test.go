package conf

import (
	"strings"
	"testing"
	"time"
)

// case B056: min alone leaves an app that can start.
func TestMaxIsNeverZero(t *testing.T) {
	config := loaded(t, "apps:\n  a: {image: x, replicas: {min: 0}}\n  b: {image: x, replicas: {min: 6}}\n")
	if a, b := config.Apps["a"].Replicas, config.Apps["b"].Replicas; a.Max != 4 || b.Max != 6 {
		t.Errorf("got %+v and %+v", a, b)
	}
	if p := refused(t, "apps:\n  a: {image: x, replicas: {max: 0}}\n"); p.Key != "apps.a.replicas.max" {
		t.Errorf("got %v", p)
	}
}

func TestDefaultsThatDependOnOtherKeys(t *testing.T) {
	for keys, want := range map[string]App{
		`volumes: ["v:/v"]`:                                  {Replicas: Replicas{Max: 1}, Update: Update{Order: "stop-first"}},
		`volumes: ["v:/v:ro", "/anonymous"]`:                 {Replicas: Replicas{Max: 4}, Update: Update{Order: "start-first"}},
		`sticky: true, port: 1, route: {path: /}`:            {Replicas: Replicas{Max: 4}, Update: Update{Order: "start-first"}, Drain: 8 * time.Hour},
		`sticky: true, drain: 1s, route: {path: /}, port: 1`: {Replicas: Replicas{Max: 4}, Update: Update{Order: "start-first"}, Drain: time.Second},
		`ready: {timeout: 90s}`:                              {Replicas: Replicas{Max: 4}, Update: Update{Order: "start-first"}, Hold: Hold{Max: 90 * time.Second}},
	} {
		app := loaded(t, "apps: {a: {image: x, "+keys+"}}").Apps["a"]
		if want.Drain == 0 {
			want.Drain = 30 * time.Second
		}
		if want.Hold.Max == 0 {
			want.Hold.Max = time.Minute // case B061: never shorter than a start may take
		}
		if app.Replicas != want.Replicas || app.Update.Order != want.Update.Order || app.Drain != want.Drain ||
			app.Hold.Max != want.Hold.Max {
			t.Errorf("%s: got %+v", keys, app)
		}
		if !app.NoNewPrivileges || app.PidsLimit <= 0 || app.Ready.TCP {
			t.Errorf("%s: not safe by default: %+v", keys, app)
		}
	}
}

func TestDefaultState(t *testing.T) {
	for environ, want := range map[string]string{
		"STATE_DIRECTORY=/s:/t HOME=/h":   "/s",
		"XDG_STATE_HOME=/x HOME=/h":       "/x/fairlead",
		"XDG_STATE_HOME=relative HOME=/h": "/h/.local/state/fairlead",
		"HOME=/h":                         "/h/.local/state/fairlead",
	} {
		if got := defaultState(variables(strings.Fields(environ)), 1000); got != want {
			t.Errorf("%s: got %q, want %q", environ, got, want)
		}
	}
	if got := defaultState(nil, 0); got != "/var/lib/fairlead" {
		t.Errorf("root: got %q", got)
	}
}

func TestNothingAtAllIsValid(t *testing.T) {
	config, err := Load(Source{})
	if err != nil || len(config.Listen.HTTP) != 1 || config.Listen.Admin == "" {
		t.Fatalf("got %+v, %v", config, err)
	}
}
