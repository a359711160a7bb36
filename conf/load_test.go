package conf

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const minimal = "apps:\n  hello: {image: a, port: 80, route: {path: /}, env: {TOKEN: file, lower: file}}\n"

// written makes a file of its own directory.
func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fairlead.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func loaded(t *testing.T, content string, environ ...string) *Config {
	t.Helper()
	config, err := Load(Source{Paths: []string{written(t, content)}, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// refused returns the message of the one problem that the content has.
func refused(t *testing.T, content string, environ ...string) Problem {
	t.Helper()
	_, err := Load(Source{Paths: []string{written(t, content)}, Environ: environ})
	problems, ok := AsErrors(err)
	if !ok || len(problems) != 1 {
		t.Fatalf("got %v, want one problem", err)
	}
	return problems[0]
}

func TestLayersWinInOrder(t *testing.T) {
	content := minimal + "log: {level: warn}\nreconcile: 1s\ninstance: file\n"
	config, err := Load(Source{
		Paths:   []string{written(t, content)},
		Environ: []string{"FAIRLEAD_RECONCILE=2s", "FAIRLEAD_INSTANCE=environment"},
		Flags:   map[string]any{"instance": "flag", "listen.http": []string{":1", ":2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if config.Log.Level != "warn" || config.Reconcile != 2*time.Second || config.Instance != "flag" {
		t.Errorf("got %+v, %v, %q", config.Log, config.Reconcile, config.Instance)
	}
	if want := []string{":1", ":2"}; !reflect.DeepEqual(config.Listen.HTTP, want) {
		t.Errorf("got %q, want %q", config.Listen.HTTP, want)
	}
	if config.Log.Format != "text" {
		t.Error("a default was lost beside a key that is set")
	}
}

func TestDirectoryIsMergedByName(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"20-more.yml":  "reconcile: 20s\napps: {b: {image: b}}",
		"10-base.yaml": "reconcile: 10s\napps: {a: {image: a, replicas: {min: 1}}, b: {image: old, memory: 1m}}",
		".hidden.yaml": "nonsense",
		"notes.txt":    "nonsense",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := Load(Source{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	b := config.Apps["b"]
	if config.Reconcile != 20*time.Second || len(config.Apps) != 2 || b.Image != "b" || b.Memory != 1<<20 {
		t.Errorf("got %v and %+v", config.Reconcile, b)
	}
}

func TestEnvironmentMatchesKeysIgnoringCase(t *testing.T) {
	config := loaded(t, minimal+"  my-app: {image: a}\n",
		"FAIRLEAD_APPS__HELLO__ENV__TOKEN=from the environment",
		"FAIRLEAD_APPS__HELLO__ENV__LOWER={x}",
		"FAIRLEAD_APPS__HELLO__ENV__New=kept as written",
		"FAIRLEAD_APPS__MY_APP__COMMAND=[a, 'b c']",
		"FAIRLEAD_APPS__MY_APP__REPLICAS__MAX=3",
		"FAIRLEAD_APPS__OTHER__IMAGE=true",
		"FAIRLEAD_TRUSTED_PROXIES=192.0.2.1, 10.0.0.0/8",
		"FAIRLEAD_CONFIG=x", "FAIRLEAD_ADMIN=x", "FAIRLEAD_TOKEN=x")
	want := map[string]Secret{
		"TOKEN": NewSecret("from the environment"), "lower": NewSecret("{x}"), "New": NewSecret("kept as written"),
	}
	if got := config.Apps["hello"].Env; !reflect.DeepEqual(got, want) {
		t.Errorf("got the variables %v of the right text: %v", got, got["TOKEN"] == want["TOKEN"])
	}
	mine := config.Apps["my-app"]
	if !reflect.DeepEqual(mine.Command, []string{"a", "b c"}) || mine.Replicas.Max != 3 {
		t.Errorf("got %q and %+v", mine.Command, mine.Replicas)
	}
	if config.Apps["other"].Image != "true" || len(config.TrustedProxies) != 2 {
		t.Errorf("got %+v and %v", config.Apps["other"], config.TrustedProxies)
	}
}

func TestEnvironmentIsStrict(t *testing.T) {
	for entry, want := range map[string]string{
		"FAIRLEAD_PROTOCOL=x":                  "FAIRLEAD_PROTOCOL: protocol: unknown key",
		"FAIRLEAD_APPS__HELLO__PORT=http":      `FAIRLEAD_APPS__HELLO__PORT: apps.hello.port: expected a whole number, got "http"`,
		"FAIRLEAD_LISTEN__HTTP__X=1":           "FAIRLEAD_LISTEN__HTTP__X: listen.http",
		"FAIRLEAD_TLS__ACME__DNS=x":            `FAIRLEAD_TLS__ACME__DNS: tls.acme.dns: expected a map, got "x"`,
		"FAIRLEAD_APPS__HELLO__SEATS=${SEATS}": `FAIRLEAD_APPS__HELLO__SEATS: apps.hello.seats: expected a whole number, got "${SEATS}"`,
	} {
		if got := refused(t, minimal, entry).String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", entry, got, want)
		}
	}
	p := refused(t, minimal, "FAIRLEAD_INSTANCE__X=1", "FAIRLEAD_INSTANCE=x")
	if p.File != "FAIRLEAD_INSTANCE__X" || p.Message != "contradicts FAIRLEAD_INSTANCE" {
		t.Errorf("got %v", p)
	}
}

func TestMissingPathsAreProblems(t *testing.T) {
	empty := t.TempDir()
	_, err := Load(Source{Paths: []string{empty, empty + "/none.yaml"}})
	problems, _ := AsErrors(err)
	if len(problems) != 2 || problems[0].File != empty || problems[1].Message != "no such file or directory" {
		t.Errorf("got %v", err)
	}
}

// What a file that does not parse was to bring would be missed all over.
func TestOnlyTheSyntaxIsToldWhereAFileDoesNotParse(t *testing.T) {
	broken, uses := written(t, "templates: {t: {image: a"), written(t, "apps: {a: {use: t}}")
	_, err := Load(Source{Paths: []string{broken, uses}})
	if problems, _ := AsErrors(err); len(problems) != 1 || problems[0].File != broken {
		t.Errorf("got %v", err)
	}
}

func TestTemplatesMergeMapsAndReplaceLists(t *testing.T) {
	config, err := Load(Source{Paths: []string{"testdata/good/full.yaml"}, Environ: testEnviron})
	if err != nil {
		t.Fatal(err)
	}
	one := config.Apps["shiny-one"]
	if one.Port != 3838 || !one.Sticky || one.Idle != 15*time.Minute {
		t.Errorf("got %+v", one)
	}
	if one.Env["TZ"].Reveal() != "UTC" || one.Env["SHINY"].Reveal() != "1" {
		t.Error("maps of the defaults and of the template did not merge")
	}
	if want := []string{"NET_RAW"}; !reflect.DeepEqual(one.CapDrop, want) {
		t.Errorf("got %q, want %q", one.CapDrop, want)
	}
}

func TestNullTakesBack(t *testing.T) {
	config := loaded(t, "defaults: {memory: 1m, seats: 3}\napps:\n  a: {image: x, memory: null, seats: ~}\n")
	if a := config.Apps["a"]; a.Memory != 0 || a.Seats != 0 {
		t.Errorf("got %d and %d", a.Memory, a.Seats)
	}
}

func TestTemplateFaultIsToldOnce(t *testing.T) {
	p := refused(t, "templates: {t: {seats: many}}\napps:\n  a: {image: x, use: t}\n  b: {image: x, use: t}\n")
	if p.Key != "templates.t.seats" || p.Line != 1 {
		t.Errorf("got %v", p)
	}
}

func TestFaultInheritedFromTemplateIsPlacedThere(t *testing.T) {
	p := refused(t, "templates:\n  t:\n    replicas: {max: 2}\napps:\n  a: {image: x, use: t, replicas: {min: 3}}\n")
	if p.Key != "apps.a.replicas.min" || p.Line != 5 {
		t.Errorf("got %v", p)
	}
	p = refused(t, "templates:\n  t:\n    idle: 0s\napps:\n  a: {image: x, use: t}\n")
	if p.Key != "apps.a.idle" || p.Line != 3 {
		t.Errorf("got %v", p)
	}
	p = refused(t, "templates:\n  t:\n    stop_signal: no such\napps:\n  a: {image: x, use: t}\n")
	if p.Key != "apps.a.stop_signal" || p.Line != 3 {
		t.Errorf("got %v", p)
	}
}

// The whole schema as it is written in testdata/good/full.yaml.
func TestEveryKeyIsRead(t *testing.T) {
	config, err := Load(Source{Paths: []string{"testdata/good/full.yaml"}, Environ: testEnviron})
	if err != nil {
		t.Fatal(err)
	}
	hello := config.Apps["hello"]
	dir, _ := filepath.Abs("testdata/good")
	checks := map[string]bool{
		"admin.token": config.Admin.Token.Reveal() == "hunter2",
		"state":       config.State == dir+"/state",
		"proxies":     config.TrustedProxies[0].String() == "192.0.2.10/32" && config.TrustedProxies[1].String() == "10.0.0.0/8",
		"hosts.tls":   config.Hosts["lab"].TLS.CA == dir+"/ca.pem" && config.Hosts["lab"].Events,
		"host":        config.Hosts["local"] == Host{URL: "unix:///run/user/1000/podman/podman.sock", Reach: "published", Timeout: 3 * time.Second, Weight: 1},
		"routes":      reflect.DeepEqual(hello.Routes, []Route{{Host: "hello.example.org", Path: "/"}, {Path: "/hello", Strip: true}}),
		"command":     reflect.DeepEqual(hello.Command, []string{"serve", "--id", "7"}),
		"env": hello.Env["TOKEN"].Reveal() == "s3cret-value" && hello.Env["DEBUG"].Reveal() == "true" &&
			hello.Env["RATE"].Reveal() == "1e3" && hello.Env["PLAIN"].Reveal() == "${NOT_A_VARIABLE}" &&
			hello.Env["FROM"].Reveal() == "hunter2" && hello.Env["FILED"].Reveal() == `a=b "c"`,
		"volumes": reflect.DeepEqual(hello.Volumes, []Volume{{Source: dir + "/data", Target: "/data", Options: []string{"Z"}},
			{Source: "cache", Target: "/cache", ReadOnly: true, Options: []string{}}, {Target: "/scratch"}}),
		"ulimits":  hello.Ulimits["nofile"] == Ulimit{1024, 2048} && hello.Ulimits["nproc"] == Ulimit{100, 100},
		"labels":   hello.Labels["dotted.key"] == "yes" && hello.Labels["com.example.team"] == "7",
		"limits":   hello.Memory == 512<<20 && hello.ShmSize == 64<<20 && hello.CPUs == 1.5 && hello.PidsLimit == NoLimit,
		"idle":     hello.Idle == Never && hello.Drain == 24*time.Hour,
		"security": !hello.NoNewPrivileges && hello.StopSignal == "SIGINT",
		"ready":    hello.Ready == Ready{HTTP: "/healthz", Port: 9000, Timeout: 90 * time.Second},
		"hold":     hello.Hold == Hold{Page: 2 * time.Second, Max: 2 * time.Minute, Queue: 10},
	}
	for what, ok := range checks {
		if !ok {
			t.Errorf("%s: got %+v", what, hello)
		}
	}
}
