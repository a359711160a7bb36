package conf

import "testing"

func TestHostIsNoFieldLikeTheOthers(t *testing.T) {
	h := loaded(t, `
defaults: {headers: {request: {set: {host: "api.example.org:8443", X-A: b}}}}
apps:
  one: {image: a, port: 1, route: {path: /1}}
  two: {image: a, port: 1, route: {path: /2}}`)
	for _, name := range []string{"one", "two"} {
		if got := h.Apps[name].Headers; got.Host != "api.example.org:8443" || len(got.Request.Set) != 1 {
			t.Errorf("%s: host %q, set %v", name, got.Host, got.Request.Set)
		}
	}
}
