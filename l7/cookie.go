package l7

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/pool"
)

// The names of our cookies end in the app's, so that two apps on one host do not overwrite each other's (case B157).
const (
	stickyPrefix = "__fairlead_"
	ticketPrefix = "__fairlead_wait_"
)

// ticketAge is how long a browser keeps the place in the demand that it was given; the pool forgets it earlier.
const ticketAge = 30

// cookies yields the values of the cookies of that name in a request's header. Visitors without any cost a search.
func cookies(h fields.List, name string, yield func(value string) bool) {
	for i := range h {
		if h[i].Is("Cookie") && strings.Contains(h[i].Value, name) && !pairs(h[i].Value, name, yield) {
			return
		}
	}
}

func pairs(line, name string, yield func(value string) bool) bool {
	for more := true; more; {
		var pair string
		pair, line, more = strings.Cut(line, ";")
		if found, value, _ := strings.Cut(strings.TrimSpace(pair), "="); found == name && !yield(value) {
			return false
		}
	}
	return true
}

// bound finds the binding to an app in a request's cookies. Nested routes may bring several: the first one that was
// signed here counts.
func (k *Key) bound(h fields.List, a *app) (b binding, ok bool) {
	cookies(h, a.stickyName, func(value string) bool {
		b, ok = k.prove(a.name, value)
		return !ok
	})
	return b, ok
}

// prove opens a cookie that may have been opened before.
func (k *Key) prove(app, value string) (b binding, ok bool) {
	if b, ok = k.opened.find(app, value); ok {
		return b, true
	}
	if b, ok = k.open(app, value); ok {
		k.opened.keep(app, value, b)
	}
	return b, ok
}

func ticketOf(h fields.List, a *app) (t pool.Ticket) {
	cookies(h, a.ticketName, func(value string) bool {
		ticket, _ := strconv.ParseUint(value, 16, 64) // what is none is no ticket
		t = pool.Ticket(ticket)
		return false
	})
	return t
}

// hideCookies takes our cookies out of what the app sees: they let their holder into a seat.
func (t *table) hideCookies(h *fields.List) {
	emptied := false
	for i := range *h {
		if f := &(*h)[i]; f.Is("Cookie") && strings.Contains(f.Value, stickyPrefix) {
			f.Value = t.without(f.Value)
			emptied = emptied || f.Value == ""
		}
	}
	if emptied {
		h.DelFunc(func(f fields.Field) bool { return f.Value == "" && f.Is("Cookie") })
	}
}

// without keeps the other cookies of a line as they stand. Ours come first or last as a rule, and what is left is a part of
// the line then.
func (t *table) without(line string) (kept string) {
	for found := true; found; {
		var before string
		before, line, found = t.cutOurs(line)
		kept = joined(kept, before)
	}
	return strings.TrimSpace(kept)
}

// cutOurs cuts a line around the first of our cookies.
func (t *table) cutOurs(line string) (before, after string, found bool) {
	for at := 0; at < len(line); {
		end := at + indexAny(line[at:], ";")
		name, _, _ := strings.Cut(strings.TrimSpace(line[at:end]), "=")
		if t.ours(name) {
			return line[:max(0, at-1)], line[min(len(line), end+1):], true
		}
		at = end + 1
	}
	return line, "", false
}

func joined(some, more string) string {
	if some == "" || more == "" {
		return some + more
	}
	return some + ";" + more
}

// ours says whether a cookie belongs to an app of this Fairlead. One behind us may have its own.
func (t *table) ours(name string) bool {
	name, ok := strings.CutPrefix(name, stickyPrefix)
	return ok && (t.apps[name] != nil || t.apps[strings.TrimPrefix(name, "wait_")] != nil)
}

// stickyCookie binds the visitor.
func (k *Key) stickyCookie(r *route, b binding, scheme string) string {
	return cookie(r, r.app.stickyName, k.seal(r.app.name, b), 0, scheme)
}

// ticketCookie keeps his place in the demand.
func ticketCookie(r *route, t pool.Ticket, scheme string) string {
	return cookie(r, r.app.ticketName, strconv.FormatUint(uint64(t), 16), ticketAge, scheme)
}

// cookie as RFC 6265 writes it; Secure where the visitor's side is https (case B158).
func cookie(r *route, name, value string, age int, scheme string) string {
	c := http.Cookie{
		Name: name, Value: value, Path: r.scope, MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: scheme == "https",
	}
	return c.String()
}
