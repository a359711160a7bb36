package conf

import (
	"net/url"
	"strings"
	"time"
)

// CORS is which pages of other origins may talk to an app from their scripts (the Fetch standard). No Origins: Fairlead
// says nothing of it, the app may.
type CORS struct {
	Origins     []string      `conf:"origins,one"` // lower case; "*" alone: any; "https://*.example.org": all under it
	Methods     []string      `conf:"methods,one"` // empty: any
	Headers     []string      `conf:"headers,one"` // that a request may have; empty: any
	Expose      []string      `conf:"expose,one"`  // of the answer, that scripts may read
	Credentials bool          `conf:"credentials"` // cookies and authorization may be sent
	MaxAge      time.Duration `conf:"max_age"`     // how long a browser may keep an answer; 0: as it likes
}

func (c *CORS) check(v value) {
	at := v.get("origins")
	for i, origin := range c.Origins {
		item := at.item(i)
		c.Origins[i] = strings.ToLower(origin)
		item.origin(c.Origins[i], len(c.Origins))
		// A browser refuses the pair, and to name whoever asks instead would open the visitor's session to every page.
		if origin == "*" && c.Credentials {
			item.hint("name the origins", "with credentials, any origin is not allowed")
		}
	}
	if len(c.Origins) == 0 && v.given() && !v.faulty() {
		v.missing("origins", "https://app.example.org")
	}
	v.tokens("methods", c.Methods)
	v.tokens("headers", c.Headers)
	v.tokens("expose", c.Expose)
}

func (v value) origin(text string, of int) {
	if text == "*" {
		if of > 1 {
			v.fail("* is every origin already")
		}
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != text ||
		!hostname.MatchString(strings.TrimPrefix(u.Hostname(), "*.")) && !strings.HasPrefix(u.Host, "[") {
		v.hint("https://app.example.org, https://*.example.org, or *", "expected an origin, without a path, got %s", v.shown())
	}
}

func (v value) tokens(key string, names []string) {
	for i, name := range names {
		at := v.get(key).item(i)
		if !token.MatchString(name) || name == "*" {
			at.hint("left out it is any", "%q is no name", name)
		}
	}
}
