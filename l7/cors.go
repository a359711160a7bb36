package l7

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l7/fields"
)

// cors answers for an app which other origins' scripts may talk to it (the Fetch standard, section 3.3).
type cors struct {
	any         bool
	origins     map[string]bool
	under       []family
	credentials bool
	methods     string // empty: any
	headers     string // empty: any
	expose      string
	maxAge      string // empty: not said
}

// family is all origins under a domain: https://*.example.org.
type family struct{ scheme, domain string }

func corsOf(c conf.CORS) *cors {
	if len(c.Origins) == 0 {
		return nil
	}
	rules := &cors{
		origins: map[string]bool{}, credentials: c.Credentials,
		methods: strings.Join(c.Methods, ", "), headers: strings.Join(c.Headers, ", "), expose: strings.Join(c.Expose, ", "),
	}
	for _, origin := range c.Origins {
		scheme, domain, wild := strings.Cut(origin, "*")
		switch {
		case origin == "*":
			rules.any = true
		case wild:
			rules.under = append(rules.under, family{scheme, domain})
		default:
			rules.origins[origin] = true
		}
	}
	if c.MaxAge > 0 {
		rules.maxAge = strconv.Itoa(int(c.MaxAge.Seconds()))
	}
	return rules
}

func (c *cors) allows(origin string) bool {
	if c.any || c.origins[origin] {
		return true
	}
	for _, f := range c.under {
		name, ok := strings.CutPrefix(origin, f.scheme)
		if name, inside := strings.CutSuffix(name, f.domain); ok && inside && name != "" && !strings.ContainsAny(name, "/:@?#[]") {
			return true
		}
	}
	return false
}

// preflight answers a browser's question before the request that it is about. The app is not asked, and need not run.
func (s *story) preflight() bool {
	c, asked := s.route.app.cors, s.x.Header
	if c == nil || s.x.Method != http.MethodOptions || !asked.Has("Origin") || !asked.Has("Access-Control-Request-Method") {
		return false
	}
	h := fields.List{{Name: "Vary", Value: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}}
	if c.grant(&h, asked.Get("Origin")) {
		h.Add("Access-Control-Allow-Methods", cmp.Or(c.methods, asked.Get("Access-Control-Request-Method")))
		if names := cmp.Or(c.headers, asked.Joined("Access-Control-Request-Headers")); names != "" {
			h.Add("Access-Control-Allow-Headers", names)
		}
		if c.maxAge != "" {
			h.Add("Access-Control-Max-Age", c.maxAge)
		}
	}
	s.record.reason = "preflight"
	s.send(http.StatusNoContent, h, nil)
	return true
}

// grant tells a browser that scripts of its page's origin are let in, if they are.
func (c *cors) grant(h *fields.List, origin string) bool {
	if origin == "" || !c.allows(origin) {
		return false
	}
	if c.any {
		origin = "*"
	}
	h.Add("Access-Control-Allow-Origin", origin)
	if c.credentials {
		h.Add("Access-Control-Allow-Credentials", "true")
	}
	return true
}

// answer puts our word in the place of the app's: two of them would be none, and the preflight has said ours.
func (c *cors) answer(h *fields.List, origin string) {
	const family = "Access-Control-"
	h.DelFunc(func(f fields.Field) bool {
		return len(f.Name) > len(family) && strings.EqualFold(f.Name[:len(family)], family)
	})
	if !c.any {
		vary(h, "Origin") // also where no origin asked, for the caches between
	}
	if c.grant(h, origin) && c.expose != "" {
		h.Add("Access-Control-Expose-Headers", c.expose)
	}
}
