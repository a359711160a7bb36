package l7

import "testing"

func TestNormal(t *testing.T) {
	for raw, want := range map[string]string{
		"/":              "/",
		"/a/b":           "/a/b",
		"/a/":            "/a/",
		"//a//b//":       "/a/b/",
		"/a/./b":         "/a/b",
		"/a/..":          "/",
		"/a/b/..":        "/a/",
		"/../../a":       "/a",
		"/a/%2e%2E/b":    "/b",
		"/.well-known/x": "/.well-known/x",
		"/..a":           "/..a",
		"/a%2Fb":         "/a%2Fb",
		"/a%252Fb":       "/a%2Fb",
		"/%61":           "/a",
		"/%zz%4":         "/%zz%4",
		"/%E4":           "/\xe4",
		"/a;b=c":         "/a;b=c",
	} {
		if got := normal(raw); got != want {
			t.Errorf("normal(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	for raw, want := range map[string]target{
		"/":                  {path: "/", query: ""},
		"/a?":                {path: "/a", query: "?"},
		"/a?x=1;y?z":         {path: "/a", query: "?x=1;y?z"},
		"/http://x":          {path: "/http://x", query: ""},
		"http://host/a?b":    {path: "/a", query: "?b"},
		"http://host":        {path: "/", query: ""},
		"http://host?b=/":    {path: "/", query: "?b=/"},
		"https://host:1/%2F": {path: "/%2F", query: ""},
	} {
		if got, ok := origin(raw); !ok || got.path != want.path || got.query != want.query || got.String() != want.path+want.query {
			t.Errorf("origin(%q) = %v, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "*", "a/b", "host:443"} {
		if got, ok := origin(raw); ok {
			t.Errorf("origin(%q) = %v, want an error", raw, got)
		}
	}
}

func TestCutPrefix(t *testing.T) {
	for _, c := range []struct {
		raw, prefix, rest string
		ok                bool
	}{
		{"/hello", "/hello", "", true},
		{"/hello/", "/hello", "/", true},
		{"/hello/a%2Fb//c", "/hello", "/a%2Fb//c", true},
		{"/%68ello/a", "/hello", "/a", true},
		{"/h%C3%A9llo/a", "/héllo", "/a", true},
		{"/x/../hello/a", "/hello", "", false},
		{"//hello/a", "/hello", "", false},
		{"/hello/../hello/a", "/hello", "", false}, // the app would see /../hello/a
		{"/hello/a/../../hello/b", "/hello", "", false},
		{"/hello/a/../b", "/hello", "/a/../b", true},
		{"/hello%2Fa", "/hello", "", false},
		{"/hello%2", "/hello", "", false},
	} {
		rest, ok := cutPrefix(c.raw, c.prefix)
		if ok != c.ok || ok && rest != c.rest {
			t.Errorf("cutPrefix(%q, %q) = %q, %v", c.raw, c.prefix, rest, ok)
		}
	}
}

func FuzzNormal(f *testing.F) {
	for _, seed := range []string{"/", "//a/../b", "/%2e/%2F", "/a/.", "/%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		path = "/" + path
		once := normal(path)
		if once == "" || once[0] != '/' {
			t.Fatalf("normal(%q) = %q", path, once)
		}
		if rest, ok := cutPrefix(path, "/a"); ok && rest != "" && "/a"+normal(rest) != once {
			t.Fatalf("%q without /a is %q", path, rest)
		}
	})
}
