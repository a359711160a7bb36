package h1

import (
	"net/http"
	"net/netip"
	"strings"
)

// IsTarget says whether everybody takes a method and its target (RFC 9112, section 3.2) for the same.
func IsTarget(method, target string) bool {
	return isToken(method) && target != "" && checkTarget(method, target) == nil
}

// IsAuthority says whether s names a host, and perhaps a port, and nothing else.
func IsAuthority(s string) bool { return isAuthority(s) }

// checkTarget knows the four forms (RFC 9112, section 3.2). The bytes are not changed: what is checked is that everybody
// takes them for the same target.
func checkTarget(method, target string) error {
	switch {
	case !isVisible(target) || strings.Contains(target, "#"):
		return errTarget
	case method == http.MethodConnect:
		if !isAuthority(target) {
			return errTarget
		}
		return nil
	case target == "*":
		if method != "OPTIONS" {
			return errTarget
		}
		return nil
	case target[0] == '/':
		return checkPath(target)
	}
	authority := authorityOf(method, target)
	if !isAuthority(authority) {
		return errTarget
	}
	return checkPath(target[strings.Index(target, "://")+len("://")+len(authority):])
}

// checkPath wants whole percent-encodings in a path. What stands in a query is the app's affair.
func checkPath(target string) error {
	path, _, _ := strings.Cut(target, "?")
	for {
		i := strings.IndexByte(path, '%')
		if i < 0 {
			return nil
		}
		if path = path[i+1:]; len(path) < 2 || hexDigit(path[0]) < 0 || hexDigit(path[1]) < 0 {
			return errTarget
		}
		path = path[2:]
	}
}

// authorityOf returns the authority that a target names, empty if it names none.
func authorityOf(method, target string) string {
	switch {
	case method == http.MethodConnect:
		return target
	case target[0] == '/':
		return ""
	}
	scheme, rest, _ := strings.Cut(target, "://")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return ""
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// isAuthority takes HOST and HOST:PORT, no user, and no encoding: no name has one.
func isAuthority(s string) bool {
	host := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		if host = s[:i]; len(s)-i > len(":65535") || !allDigits(s[i+1:]) {
			return false
		}
	}
	if strings.HasPrefix(host, "[") {
		return isAddress6(host)
	}
	for i := range len(host) {
		if !hostByte[host[i]] {
			return false
		}
	}
	return host != ""
}

func isAddress6(host string) bool {
	inner, closed := strings.CutSuffix(host[1:], "]")
	addr, err := netip.ParseAddr(inner)
	return closed && err == nil && addr.Is6() && addr.Zone() == ""
}

// allDigits allows for an empty port (RFC 3986, section 3.2.3).
func allDigits(s string) bool { return s == "" || digits(s) }

// hostByte are those of a reg-name (RFC 3986, section 3.2.2) but percent.
var hostByte = func() (t [256]bool) {
	const all = "-._~!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for i := range len(all) {
		t[all[i]] = true
	}
	return t
}()
