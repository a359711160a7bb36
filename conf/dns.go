package conf

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// DNS is how an authority's question for a name is answered in the DNS (RFC 8555, section 8.4): the provider that serves
// the name's zone is told to write a record, and afterwards to take it away.
type DNS struct {
	Provider string            `conf:"provider"`
	Keys     map[string]Secret // the provider's own, by the names that they have in the file
	// Delay passes before the record is looked for. Timeout is how long it may take to be seen; 0: it is not looked for.
	Delay   time.Duration `conf:"propagation_delay"`
	Timeout time.Duration `conf:"propagation_timeout"`
	// Resolvers find the zone and look for the record: HOST or HOST:PORT. None: the system's, and the zone's own servers.
	Resolvers []string `conf:"resolvers,one"`
}

// dnsProviders has the keys of each provider, with a ? where one may be left out. Who adds one makes it in certs, too.
var dnsProviders = map[string][]string{
	"acmedns":    {"server_url", "username", "password", "subdomain"},
	"cloudflare": {"api_token", "zone_token?"},
	"desec":      {"token"},
	"duckdns":    {"api_token"},
	"gandi":      {"bearer_token"},
	"hetzner":    {"api_token"},
	"ovh":        {"endpoint", "application_key", "application_secret", "consumer_key"},
	"rfc2136":    {"server", "key_name", "key", "key_alg?"},
}

// openKeys are no secrets: what a provider says may have them.
var openKeys = []string{"endpoint", "key_alg", "key_name", "server", "server_url"}

// Secrets are the texts that nobody may be told, the longest first.
func (d *DNS) Secrets() (texts []string) {
	for key, secret := range d.Keys {
		if !slices.Contains(openKeys, key) && !secret.Empty() {
			texts = append(texts, secret.Reveal())
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return texts
}

// DNSProviders are the names of those that are known.
func DNSProviders() []string { return sortedKeys(dnsProviders) }

// DNSKeys are the keys of a provider, and those of them that it needs.
func DNSKeys(provider string) (keys, needed []string) {
	for _, key := range dnsProviders[provider] {
		name, optional := strings.CutSuffix(key, "?")
		keys = append(keys, name)
		if !optional {
			needed = append(needed, name)
		}
	}
	return keys, needed
}

// decode reads the keys that every provider has, and the named one's own.
func (d *DNS) decode(v value) {
	*d = DNS{Timeout: 2 * time.Minute, Keys: map[string]Secret{}}
	given, ok := v.raw.(map[string]any)
	if !ok {
		v.hint("{provider: "+strings.Join(DNSProviders(), " | ")+", …}", "expected a map, got %s", v.shown())
		return
	}
	name, _ := given["provider"].(scalar)
	fields := fieldsOf(reflect.ValueOf(d).Elem())
	own, _ := DNSKeys(name.Text)
	if own == nil { // nobody knows which keys it has
		given = maps.Clone(given)
		maps.DeleteFunc(given, func(key string, _ any) bool { _, ours := fields[key]; return !ours })
		v.raw = given
	}
	read := make([]Secret, len(own))
	for i, key := range own {
		fields[key] = field{value: reflect.ValueOf(&read[i]).Elem()}
	}
	v.fields(fields)
	for i, key := range own {
		if v.get(key).given() {
			d.Keys[key] = read[i]
		}
	}
}

func (d *DNS) check(v value) {
	if d == nil {
		return
	}
	known := "known here: " + strings.Join(DNSProviders(), ", ")
	switch at := v.get("provider"); {
	case d.Provider == "":
		v.missing("provider", known)
	case !slices.Contains(DNSProviders(), d.Provider) && !at.faulty():
		at.hint(known, "unknown provider %s", at.shown())
	}
	d.checkKeys(v)
	for i, address := range d.Resolvers {
		at := v.get("resolvers")
		if items := at.items(); i < len(items) {
			at = items[i]
		}
		if !isServer(address) && !at.faulty() {
			at.hint("9.9.9.9 or 127.0.0.1:5353", "expected HOST or HOST:PORT, got %s", at.shown())
		}
	}
}

// checkKeys asks nobody whether they are right, but says what cannot be. No message shows one: it may be a secret.
func (d *DNS) checkKeys(v value) {
	keys, needed := DNSKeys(d.Provider)
	for _, key := range keys {
		at, form := v.get(key), forms[d.Provider+"."+key]
		switch text := d.Keys[key].Reveal(); {
		case !at.given() && slices.Contains(needed, key):
			v.missing(key, "provider "+d.Provider+" needs "+key)
		case !at.given(), at.faulty():
		case text == "":
			at.fail("is empty")
		case form.right != nil && !form.right(text):
			at.fail("expected %s", form.what)
		}
	}
}
