package l7

import (
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/l7/page"
	"github.com/fairlead/fairlead/pool"
)

// visitor is who asks, as the pool needs to know him.
func (s *story) visitor() pool.Visitor {
	app := s.route.app
	v := pool.Visitor{Open: s.navigation, Ticket: ticketOf(s.x.Header, app)}
	if !app.sticky {
		return v
	}
	if s.binding, s.isBound = s.front.key.bound(s.x.Header, app); s.isBound {
		v.Session, v.Replica, v.Start = s.binding.session, s.binding.replica, s.binding.start
		v.Open = true // who had a seat is given another one
	}
	return v
}

// navigates says whether a browser wants a document to show: it may be given a page of ours, and opens a session.
func navigates(x *Exchange) bool {
	if x.Method != http.MethodGet || x.Header.Has(page.Probe) {
		return false
	}
	if mode := x.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return asksUpgrade(x) == "" && strings.Contains(strings.ToLower(x.Header.Get("Accept")), "text/html")
}

// probes says whether the waiting page asks how things stand.
func probes(x *Exchange) bool {
	return x.Method == http.MethodGet && x.Header.Has(page.Probe)
}
