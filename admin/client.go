package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fairlead/fairlead/journal"
)

// Client speaks the API. Calls are bounded by their contexts alone.
type Client struct {
	Token string // needed for changes and logs
	base  string
	http  *http.Client
}

// NewClient takes an address as listen.admin has it: host:port or unix:///path. It connects to nothing yet.
func NewClient(address, token string) (*Client, error) {
	c := &Client{Token: token, base: "http://" + address}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	transport := &http.Transport{DialContext: dialer.DialContext}
	switch path, unix := strings.CutPrefix(address, "unix://"); {
	case unix && path != "":
		c.base = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}
	default:
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("admin address %q: want host:port or unix:///path", address)
		}
	}
	c.http = &http.Client{Transport: transport}
	return c, nil
}

// Apps lists all apps by name.
func (c *Client) Apps(ctx context.Context) (apps []App, err error) {
	return apps, c.call(ctx, http.MethodGet, "/api/apps", &apps)
}

// App shows one.
func (c *Client) App(ctx context.Context, name string) (app App, err error) {
	return app, c.call(ctx, http.MethodGet, appPath(name, ""), &app)
}

// Usage asks the engines what the replicas take.
func (c *Client) Usage(ctx context.Context) (usages []Usage, err error) {
	return usages, c.call(ctx, http.MethodGet, "/api/usage", &usages)
}

// Hosts lists the configured hosts.
func (c *Client) Hosts(ctx context.Context) (hosts []HostStatus, err error) {
	return hosts, c.call(ctx, http.MethodGet, "/api/hosts", &hosts)
}

// Events lists the kept events after that number; app may be empty.
func (c *Client) Events(ctx context.Context, since uint64, app string) (events []journal.Event, err error) {
	return events, c.call(ctx, http.MethodGet, eventsPath(since, app), &events)
}

// Release of the server.
func (c *Client) Release(ctx context.Context) (r Release, err error) {
	return r, c.call(ctx, http.MethodGet, "/api/version", &r)
}

// Wake wants a replica of the app; with a wait it returns when one is ready, or an error when none is by then.
func (c *Client) Wake(ctx context.Context, name string, wait time.Duration) (app App, err error) {
	path := appPath(name, "/wake")
	if wait > 0 {
		path += "?wait=" + wait.String()
	}
	return app, c.call(ctx, http.MethodPost, path, &app)
}

// Sleep lets the app's replicas go.
func (c *Client) Sleep(ctx context.Context, name string) (app App, err error) {
	return app, c.call(ctx, http.MethodPost, appPath(name, "/sleep"), &app)
}

// Restart replaces the app's replicas.
func (c *Client) Restart(ctx context.Context, name string) (app App, err error) {
	return app, c.call(ctx, http.MethodPost, appPath(name, "/restart"), &app)
}

// Reload has the configuration read again.
func (c *Client) Reload(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/api/reload", &struct{}{})
}

// Forget gives up what stood on a host.
func (c *Client) Forget(ctx context.Context, host string) (hosts []HostStatus, err error) {
	return hosts, c.call(ctx, http.MethodPost, "/api/hosts/"+url.PathEscape(host)+"/forget", &hosts)
}

// Clean removes the containers that the server's instance made, and says how many.
func (c *Client) Clean(ctx context.Context) (removed int, err error) {
	var cleaned Cleaned
	err = c.call(ctx, http.MethodPost, "/api/clean", &cleaned)
	return cleaned.Removed, err
}

// Logs streams the output of one of the app's containers. The caller closes it.
func (c *Client) Logs(ctx context.Context, name string, o LogOptions) (io.ReadCloser, error) {
	query := url.Values{}
	if o.Replica != "" {
		query.Set("replica", o.Replica)
	}
	if o.Tail > 0 {
		query.Set("tail", strconv.Itoa(o.Tail))
	}
	if o.Follow {
		query.Set("follow", "true")
	}
	if o.Previous {
		query.Set("previous", "true")
	}
	resp, err := c.send(ctx, http.MethodGet, appPath(name, "/logs")+"?"+query.Encode(), "text/plain")
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func appPath(name, rest string) string { return "/api/apps/" + url.PathEscape(name) + rest }

func eventsPath(since uint64, app string) string {
	query := url.Values{"since": {strconv.FormatUint(since, 10)}}
	if app != "" {
		query.Set("app", app)
	}
	return "/api/events?" + query.Encode()
}

func (c *Client) call(ctx context.Context, method, path string, into any) error {
	resp, err := c.send(ctx, method, path, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// send returns an answer that is no error; the caller closes its body.
func (c *Client) send(ctx context.Context, method, path, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, bare(err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, refusal(resp)
}

// bare takes off net/http's verb and URL: the caller says in better words what was being done.
func bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func refusal(resp *http.Response) error {
	if resp.StatusCode == http.StatusUnauthorized {
		return ErrToken
	}
	p := &Problem{Title: http.StatusText(resp.StatusCode), Status: resp.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if resp.Header.Get("Content-Type") != problemType || json.Unmarshal(text, p) != nil {
		return fmt.Errorf("no fairlead answers there, but something that says %s", resp.Status)
	}
	return p
}
