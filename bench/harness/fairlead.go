package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/fairlead/fairlead/admin"
)

// Binary is what is measured, made by make build.
const Binary = "bin/fairlead"

// Config is what one Fairlead is started with.
type Config struct {
	Binary string // empty: Binary
	URL    string // the engine's
	Reach  string // empty: auto
	Access string // the access log's path; empty: off
	Secure string // where HTTPS is served; empty: nowhere
	Pair   Pair   // its certificate
	Count  string // where metrics are served; empty: nowhere
	Image  string // of the apps
	Apps   string // the lines under apps
	Env    []string
}

// Fairlead is a running one.
type Fairlead struct {
	*Process
	Config
	Instance string
	Address  string // where HTTP is served
	Admin    *admin.Client
	Ready    time.Duration // from exec until the HTTP address accepts

	run  *Run
	file string
}

var configuration = template.Must(template.New("").Parse(`version: 1
instance: {{.Instance}}
state: {{.State}}
listen:
  http: "{{.Address}}"
  admin: "unix://{{.State}}/admin.sock"
{{- if .Count}}
  metrics: "{{.Count}}"
{{- end}}
{{- if .Secure}}
  https: "{{.Secure}}"
tls: {certs: {cert: {{.Pair.Cert}}, key: {{.Pair.Key}}, fallback: true}}
{{- end}}
shutdown: {grace: 1s}
log: {level: info, format: json, access: {path: "{{or .Access "off"}}"}}
hosts:
  local: {url: "{{.URL}}", reach: {{or .Reach "auto"}}}
defaults:
  image: {{.Image}}
  pull: never
  port: 8080
  idle: never
  stop_grace: 1s
apps:
{{.Apps}}
`))

// Fairlead starts one and waits until it has looked at its engine. Its containers go with the run.
func (r *Run) Fairlead(ctx context.Context, c Config) (*Fairlead, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	if c.Binary == "" {
		c.Binary = Binary
	}
	f := &Fairlead{Config: c, Instance: "test-" + strings.ToLower(rand.Text()[:10]), Address: address, run: r}
	outside, err := r.NewOutside(c.URL)
	if err != nil {
		return nil, err
	}
	r.Defer(func() { outside.Clean(f.Instance) })
	if err := f.write(); err != nil {
		return nil, err
	}
	return f, f.Again(ctx)
}

func (f *Fairlead) write() (err error) {
	var text strings.Builder
	err = configuration.Execute(&text, struct {
		Config
		Instance, State, Address string
	}{f.Config, f.Instance, f.state(), f.Address})
	if err != nil {
		return err
	}
	f.file, err = f.run.Write(f.Instance+".yaml", text.String())
	return err
}

func (f *Fairlead) state() string { return f.run.Path(f.Instance) }

// Again starts the binary on what the state directory holds.
func (f *Fairlead) Again(ctx context.Context) (err error) {
	f.Process, err = f.run.Start(f.Instance, f.Env, f.Binary, "run", "-c", f.file)
	if err != nil {
		return err
	}
	if err := f.AwaitListening(ctx, f.Address); err != nil {
		return err
	}
	f.Ready = time.Since(f.Began)
	return f.awaitEngine(ctx)
}

// awaitEngine returns when the admin API, which opens after HTTP does, says that the engine has answered a look.
func (f *Fairlead) awaitEngine(ctx context.Context) error {
	for {
		err := f.connect()
		if err == nil {
			var hosts []admin.HostStatus
			hosts, err = f.Admin.Hosts(ctx)
			if err == nil && len(hosts) == 1 && hosts[0].State == admin.HostOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("fairlead's engine does not answer: %w: %s", errors.Join(ctx.Err(), err), f.LastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (f *Fairlead) connect() error {
	token, err := admin.ReadToken(f.state())
	if err != nil {
		return err
	}
	f.Admin, err = admin.NewClient("unix://"+f.state()+"/admin.sock", token)
	return err
}

// Wake starts the app and returns its ready replica.
func (f *Fairlead) Wake(ctx context.Context, app string) (admin.Replica, error) {
	woken, err := f.Admin.Wake(ctx, app, time.Minute)
	if err != nil {
		return admin.Replica{}, fmt.Errorf("wake %s: %w: %s", app, err, f.LastWords())
	}
	for _, replica := range woken.Replicas {
		if replica.State == "ready" {
			return replica, nil
		}
	}
	return admin.Replica{}, fmt.Errorf("wake %s: no replica is ready: %+v", app, woken.Replicas)
}

// CheckBinary says what to do when there is no binary to measure.
func CheckBinary() error {
	if _, err := os.Stat(Binary); err != nil {
		return fmt.Errorf("%w: make build first, and run from the repository's root", err)
	}
	return nil
}
