package l7

import (
	"testing"

	"github.com/fairlead/fairlead/conf"
)

func routed(t *testing.T, apps map[string][]conf.Route) *table {
	t.Helper()
	c := &conf.Config{Apps: map[string]*conf.App{}}
	for name, routes := range apps {
		c.Apps[name] = &conf.App{Routes: routes}
	}
	table, err := tableOf(c, newTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestFind(t *testing.T) {
	table := routed(t, map[string][]conf.Route{
		"root":   {{Path: "/"}},
		"hello":  {{Path: "/hello"}, {Path: "/hello/deep/down"}},
		"deep":   {{Path: "/hello/deep"}},
		"hosted": {{Host: "a.example.org", Path: "/"}},
		"below":  {{Host: "a.example.org", Path: "/below"}, {Host: "b.example.org", Path: "/only"}, {Host: "b.example.net", Path: "/only"}},
		"six":    {{Host: "[::1]", Path: "/"}},
		"accent": {{Path: "/h%C3%A9llo"}},
		"star":   {{Host: "*.example.org", Path: "/"}, {Host: "*.deep.example.org", Path: "/only"}},
	})
	for _, c := range []struct{ host, path, want string }{
		{"x", "/", "root"},
		{"x", "/hello", "hello"},
		{"x", "/hello/", "hello"},
		{"x", "/hello/x", "hello"},
		{"x", "/helloworld", "root"}, // whole segments
		{"x", "/hell", "root"},
		{"x", "/hello/deep", "deep"},
		{"x", "/hello/deep/", "deep"},
		{"x", "/hello/deeper", "hello"},
		{"x", "/hello/deep/down", "hello"},
		{"x", "/hello/deep/downtown/and/further", "deep"},
		{"x", "//hello", "hello"},
		{"x", "/%68ello/x", "hello"},
		{"x", "/hello%2Fdeep", "root"}, // an encoded slash separates nothing
		{"x", "/a/../hello", "hello"},
		{"x", "/hello/%2e%2e/x", "root"},
		{"x", "/hello/..", "root"},
		{"x", "/../..", "root"},
		{"x", "/hello;v=1", "root"},
		{"x", "/h%C3%A9llo/1", "accent"},
		{"a.example.org", "/", "hosted"},
		{"A.Example.ORG:8080", "/below/x", "below"},
		{"a.example.org.", "/x", "hosted"},
		{"a.example.org.:443", "/x", "hosted"},
		{"a.example.org", "/hello", "hosted"}, // host before no host
		{"b.example.org", "/only", "below"},
		{"b.example.org", "/hello", "star"},  // nothing of that host: those with a star for it
		{"b.example.net", "/hello", "hello"}, // or without one
		{"C.example.org:8080", "/x", "star"},
		{"x.c.example.org", "/x", "root"}, // a star is one label, as in a certificate
		{".example.org", "/x", "root"},
		{"x.deep.example.org", "/only/x", "star"},
		{"x.deep.example.org", "/x", "root"}, // nothing of that either: those without one
		{"example.org", "/hello", "hello"},
		{"[::1]:8080", "/", "six"},
		{"", "/", "root"},
	} {
		got := "none"
		if r := table.find(c.host, normal(c.path)); r != nil {
			got = r.app.name
		}
		if got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.host, c.path, got, c.want)
		}
	}
}

func TestFindNothing(t *testing.T) {
	table := routed(t, map[string][]conf.Route{"hello": {{Host: "a", Path: "/"}, {Path: "/hello"}}})
	for _, path := range []string{"/", "/hell", "/other/hello"} {
		if r := table.find("b", path); r != nil {
			t.Errorf("%s: got %s", path, r.app.name)
		}
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	for _, host := range []string{"a.example.org", "*.example.org"} {
		table := routed(t, map[string][]conf.Route{"hello": {{Host: host, Path: "/hello"}}})
		var found *route
		if n := testing.AllocsPerRun(100, func() {
			at, _ := origin("/hello/some/where.html?a=1&b=2")
			found = table.find("a.example.org:8080", normal(at.path))
		}); n != 0 || found == nil {
			t.Errorf("%s: %v allocations, found %v", host, n, found)
		}
	}
}

// A long path costs no more than the longest route, however many segments it has.
func TestFindInAPathOfManySegments(t *testing.T) {
	table := routed(t, map[string][]conf.Route{"hello": {{Path: "/a/a"}}, "root": {{Path: "/"}}})
	path := ""
	for range 30_000 {
		path += "/a"
	}
	if r := table.find("", path); r == nil || r.app.name != "hello" {
		t.Errorf("got %v", r)
	}
}
