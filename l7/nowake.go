package l7

import (
	"cmp"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// noWake is a kind of request that passes by: it is served where a replica is ready, and else starts nothing. Neither way
// does it keep the app awake (case B074).
type noWake struct {
	agent   string // in small letters
	path    string
	methods []string
	from    []netip.Prefix
	status  int
}

func noWakesOf(given []conf.NoWake) (all []noWake) {
	for _, n := range given {
		all = append(all, noWake{
			agent: strings.ToLower(n.UserAgent), path: strings.TrimRight(n.Path, "/"), methods: n.Methods, from: n.From,
			status: cmp.Or(n.Status, http.StatusServiceUnavailable),
		})
	}
	return all
}

// passes notes whether the request falls under one of them. Then it opens no session, and gets no page to wait on.
func (s *story) passes() {
	all := s.route.app.noWake
	if i := slices.IndexFunc(all, func(n noWake) bool { return n.covers(s) }); i >= 0 {
		s.passing, s.navigation = &all[i], false
		s.guest = pool.Visitor{Passing: true}
	}
}

func (n *noWake) covers(s *story) bool {
	return (n.agent == "" || strings.Contains(strings.ToLower(s.x.Header.Get("User-Agent")), n.agent)) &&
		(n.path == "" || under(n.path, s.path)) &&
		(len(n.methods) == 0 || slices.Contains(n.methods, s.x.Method)) &&
		(len(n.from) == 0 || n.comesFrom(s.outside.address()))
}

func (n *noWake) comesFrom(client netip.Addr) bool {
	return slices.ContainsFunc(n.from, func(p netip.Prefix) bool { return p.Contains(client) })
}

// under says whether a path is another one, or below it by whole segments.
func under(above, path string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || rest[0] == '/')
}

// glance is the admission of a request that passes by: it waits for nobody. That the app cannot start, or is full, is said
// as to anybody.
func (s *story) glance(app *pool.App) (pool.Lease, error) {
	guest := s.guest
	guest.Avoid = s.avoided
	switch admission := app.Ask(guest); admission.Outcome {
	case pool.Served:
		return admission.Lease, nil
	case pool.Wait:
		return pool.Lease{}, &asleep{s.passing.status}
	default:
		return pool.Lease{}, &heldBack{outcome: admission.Outcome, failure: admission.Failure}
	}
}

// asleep is the error of a request that must not wake the app.
type asleep struct{ status int }

func (a *asleep) Error() string { return "the app is not awake, and this request does not wake it" }
