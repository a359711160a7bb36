package certs

import (
	"cmp"
	"net"
	"strings"

	"github.com/caddyserver/certmagic"
	"github.com/libdns/acmedns"
	"github.com/libdns/cloudflare"
	"github.com/libdns/desec"
	"github.com/libdns/duckdns"
	"github.com/libdns/gandi"
	"github.com/libdns/hetzner/v2"
	"github.com/libdns/ovh"
	"github.com/libdns/rfc2136"
)

// providers make those that write records for us, of libdns. A new one wants a line here, its import, and a line with its
// keys in conf, which has checked that those it needs are there.
var providers = map[string]func(key func(string) string) certmagic.DNSProvider{
	"acmedns": func(key func(string) string) certmagic.DNSProvider {
		return &acmedns.Provider{ServerURL: strings.TrimSuffix(key("server_url"), "/"),
			Username: key("username"), Password: key("password"), Subdomain: key("subdomain")}
	},
	"cloudflare": func(key func(string) string) certmagic.DNSProvider {
		return &cloudflare.Provider{APIToken: key("api_token"), ZoneToken: key("zone_token")}
	},
	"desec": func(key func(string) string) certmagic.DNSProvider { return &desec.Provider{Token: key("token")} },
	"duckdns": func(key func(string) string) certmagic.DNSProvider {
		return &duckdns.Provider{APIToken: key("api_token")}
	},
	"gandi": func(key func(string) string) certmagic.DNSProvider {
		return &gandi.Provider{BearerToken: key("bearer_token")}
	},
	"hetzner": func(key func(string) string) certmagic.DNSProvider { return hetzner.New(key("api_token")) },
	"ovh": func(key func(string) string) certmagic.DNSProvider {
		return &ovh.Provider{Endpoint: key("endpoint"), ApplicationKey: key("application_key"),
			ApplicationSecret: key("application_secret"), ConsumerKey: key("consumer_key")}
	},
	"rfc2136": func(key func(string) string) certmagic.DNSProvider {
		return &rfc2136.Provider{Server: withPort(key("server")), KeyName: key("key_name"), Key: key("key"),
			KeyAlg: cmp.Or(key("key_alg"), "hmac-sha256")}
	},
}

// withPort is the address of a DNS server.
func withPort(server string) string {
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(strings.Trim(server, "[]"), "53")
}
