package conf

import (
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// form is what the text of a provider's key looks like, where that can be told without asking anybody.
type form struct {
	what  string
	right func(text string) bool
}

// forms are by provider and key. key_alg are those of RFC 8945, section 6, that are not discouraged, and SHA-1.
var forms = map[string]form{
	"acmedns.server_url": {"an https:// or http:// URL", isURL},
	"duckdns.api_token":  {"36 characters, as its site shows it", func(text string) bool { return len(text) == 36 }},
	"ovh.endpoint":       wordOf("ovh-eu", "ovh-ca", "ovh-us"),
	"rfc2136.server":     {"HOST or HOST:PORT", isServer},
	"rfc2136.key":        {"base64, as tsig-keygen writes it", isBase64},
	"rfc2136.key_alg":    wordOf("hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"),
}

func wordOf(words ...string) form {
	return form{alternatives(words), func(text string) bool { return slices.Contains(words, text) }}
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

// isServer says whether it is a name or an address, with a port or without.
func isServer(text string) bool {
	if _, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return true
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return hostname.MatchString(strings.ToLower(text))
	}
	_, notAddress := netip.ParseAddr(host)
	return isPort(port, 1) && (notAddress == nil || hostname.MatchString(strings.ToLower(host)))
}
