package l7

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/fairlead/fairlead/conf"
)

// Change is a configuration whose routes are made and not in force yet.
type Change struct {
	front  *Front
	table  *table
	access string
}

// Prepare makes the routes of c. Nothing that is served changes, and of two changes only the later may be applied.
func (f *Front) Prepare(c *conf.Config) (*Change, error) {
	next, err := tableOf(c, f.table.Load())
	return &Change{front: f, table: next, access: c.Log.Access.Format}, err
}

// Apply makes its routes the ones in force. Requests that are under way go on as they began, and no connection is closed
// (P7).
func (c *Change) Apply() {
	f := c.front
	for name, app := range c.table.apps {
		app.series = f.metrics.of(name)
	}
	f.access.set(c.access)
	before := f.table.Swap(c.table)
	for name := range before.apps {
		if c.table.apps[name] == nil {
			f.metrics.forget(name)
		}
	}
}

// Configure prepares and applies.
func (f *Front) Configure(c *conf.Config) error {
	change, err := f.Prepare(c)
	if err != nil {
		return err
	}
	change.Apply()
	return nil
}

// tableOf goes on counting where the table before did.
func tableOf(c *conf.Config, before *table) (*table, error) {
	t := newTable(c.TrustedProxies)
	t.public, t.httpsPort = c.Listen.Public, c.Listen.HTTPSPort()
	for name, app := range c.Apps {
		known, err := appOf(name, app, before.apps[name])
		if err != nil {
			return nil, err
		}
		for _, r := range app.Routes {
			if r.IsHTTP() {
				t.add(routeOf(r, known))
			}
		}
	}
	return t, nil
}

func routeOf(r conf.Route, to *app) *route {
	path := strings.TrimRight(normal("/"+strings.TrimLeft(r.Path, "/")), "/")
	return &route{
		host: bare(r.Host), path: path, strip: r.Strip && path != "", app: to, clientCA: r.ClientCA,
		scope: cmp.Or((&url.URL{Path: path}).EscapedPath(), "/"),
	}
}

func appOf(name string, a *conf.App, before *app) (*app, error) {
	policy, ok := retries[a.Retry]
	if !ok {
		return nil, fmt.Errorf("app %s: retry %q is not known", name, a.Retry)
	}
	return &app{
		name: name, port: a.Port, host: a.Headers.Host, h2c: a.Protocol == "h2c", sticky: a.Sticky,
		holdPage: a.Hold.Page, holdMax: a.Hold.Max,
		retry: policy, https: a.HTTPS, hsts: a.HSTS,
		limits:     limitsOf(a, before),
		noWake:     noWakesOf(a.NoWake),
		stickyName: stickyPrefix + name, ticketName: ticketPrefix + name,
		toApp: editsOf(a.Headers.Request), toVisitor: editsOf(a.Headers.Response),
		cors: corsOf(a.CORS), compress: a.Compress, requestID: a.RequestID,
	}, nil
}
