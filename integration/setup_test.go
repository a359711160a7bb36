package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/fairlead/fairlead/integration/image"
)

// setup is what one smoke's configuration has of its own; the rest is below, with short times.
type setup struct {
	Reach     string // of the host local
	URL       string // of the host local; empty: the engine under test
	Keys      string // more keys of the host local, each with a comma before it
	Timeout   string // of one call to it; empty: 5s
	Hosts     string // more lines under hosts
	Reconcile string // between two passes; empty: 1s
	HTTP      string // where visitors come; empty: a port of 127.0.0.1
	Listen    string // more keys of listen, each with a comma before it
	Top       string // more lines at the top
	Admin     string // where the API listens; empty: a socket in the state directory
	Apps      string // the lines under apps

	Env  []string // of the process, over what it has anyway
	User *user    // who runs it; nil: we do
}

// idle: never, so that a smoke about something else never meets a replica that goes. The demo app leaves at SIGTERM.
var configuration = template.Must(template.New("").Parse(`version: 1
instance: {{.Instance}}
state: {{.State}}
listen: {http: "{{or .HTTP "127.0.0.1:0"}}", admin: "{{.Admin}}"{{.Listen}}}
{{.Top}}
reconcile: {{or .Reconcile "1s"}}
shutdown: {grace: 70s}
log: {level: debug, format: json, access: {path: "off"}}
hosts:
  local: {url: "{{.URL}}", reach: {{or .Reach "auto"}}, timeout: {{or .Timeout "5s"}}{{.Keys}}}
{{.Hosts}}
defaults:
  image: {{.Image}}
  pull: never
  port: 8080
  idle: never
  drain: 2s
  stop_grace: 2s
  restart_grace: 20s
apps:
{{.Apps}}
`))

// write replaces the file at once, as an operator's editor does.
func (s setup) write(t *testing.T, f *fairlead) {
	t.Helper()
	var text strings.Builder
	if s.URL == "" {
		s.URL = host
	}
	if s.Admin == "" {
		s.Admin = "unix://" + filepath.Join(f.dir, "admin.sock")
	}
	err := configuration.Execute(&text, struct {
		setup
		Instance, State, Image string
	}{s, f.instance, f.state(), image.Plain.Ref()})
	if err != nil {
		t.Fatal(err)
	}
	f.rewrite(t, text.String())
	f.endpoint = s.Admin
}

func (f *fairlead) rewrite(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(f.file()+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.file()+".new", f.file()); err != nil {
		t.Fatal(err)
	}
}

func (f *fairlead) file() string  { return filepath.Join(f.dir, "fairlead.yaml") }
func (f *fairlead) state() string { return filepath.Join(f.dir, "state") }
