package conf

import "testing"

func TestSupersedes(t *testing.T) {
	route := func(routes string) string { return "apps: {a: {image: x, port: 1, route: [" + routes + "]}}\n" }
	const https = "listen: {https: '127.0.0.1:443'}\ntls: {local_ca: [a.lan]}\n"
	for what, c := range map[string]struct {
		old, new, proto, address string
		want                     bool
	}{
		"wider":          {route("{tcp: '127.0.0.1:5432'}"), route("{tcp: ':5432'}"), "tcp", ":5432", true},
		"another port":   {route("{tcp: '127.0.0.1:5432'}"), route("{tcp: ':5433'}"), "tcp", ":5433", false},
		"one that stays": {route("{tcp: '127.0.0.1:5432'}"), route("{tcp: '127.0.0.1:5432'}, {tcp: ':5432'}"), "tcp", ":5432", false},
		"one of two stays": {route("{tcp: '127.0.0.1:5432'}, {tcp: '127.0.0.2:5432'}"), route("{tcp: '127.0.0.1:5432'}, {tcp: ':5432'}"),
			"tcp", ":5432", false},
		"one of two new ones": {route("{tcp: '127.0.0.1:5432'}"), route("{tcp: ':5432'}, {tcp: '127.0.0.2:5432'}"), "tcp", ":5432", false},
		"two from one":        {route("{tcp: ':5432'}"), route("{tcp: '127.0.0.1:5432'}, {tcp: '127.0.0.2:5432'}"), "tcp", "127.0.0.1:5432", true},
		"in a range":          {route("{tcp: '127.0.0.1:5430-5439'}"), route("{tcp: ':5432'}"), "tcp", ":5432", true},
		"UDP":                 {route("{udp: '127.0.0.1:53'}"), route("{udp: ':53'}"), "udp", ":53", true},
		"not TCP":             {route("{udp: '127.0.0.1:53'}"), route("{tcp: ':53'}"), "tcp", ":53", false},
		"shared":              {route("{tcp: '127.0.0.1:443'}"), https + route("{tcp: '127.0.0.1:443', sni: db.lan}"), "tcp", "127.0.0.1:443", true},
		"alone":               {https + route("{tcp: '127.0.0.1:443', sni: db.lan}"), route("{tcp: '127.0.0.1:443'}"), "tcp", "127.0.0.1:443", true},
		"any port":            {route("{tcp: '127.0.0.1:0'}"), route("{tcp: ':0'}"), "tcp", ":0", false},
	} {
		if got := Supersedes(loaded(t, c.old), loaded(t, c.new), c.proto, c.address); got != c.want {
			t.Errorf("%s: got %v", what, got)
		}
	}
	if Supersedes(nil, loaded(t, minimal), "tcp", ":80") {
		t.Error("before there is any")
	}
}
