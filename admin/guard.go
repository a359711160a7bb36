package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guarded refuses what a web page may have sent. A page of a stranger's can make a browser send requests to loopback,
// under its own name after a DNS rebinding; it cannot make it send a foreign Host or leave out the Origin.
func (a *api) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !localHost(r):
			problem(w, http.StatusMisdirectedRequest, "the admin API answers to loopback names only, not to "+quoted(r.Host))
		case crossOrigin(r):
			problem(w, http.StatusForbidden, "requests from other origins are refused")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// localHost says whether the request names a loopback host. Over a unix socket there is no browser, and any name does.
func localHost(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); ok && local != nil {
		return true
	}
	return Loopback(hostOf(r.Host))
}

// Loopback says whether a host, a name or an address without its port, is this machine alone.
func Loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761, section 6.3
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Unmap().IsLoopback()
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}

// crossOrigin says whether a page of another origin made the browser send this. Another port of localhost is another
// origin, though the same site: an app behind Fairlead may well be there.
func crossOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		return !strings.EqualFold(origin, "http://"+r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	default: // a link that somebody follows shows nothing to the page that it was on
		return r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate"
	}
}

func (a *api) withToken(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !a.authorized(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="fairlead"`)
			problem(w, http.StatusUnauthorized, ErrToken.Error())
			return
		}
		next(w, r)
	}
}

// authorized compares digests: the comparison takes the same time whatever the token, and however long (case B196).
func (a *api) authorized(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(a.Token))
	same := subtle.ConstantTimeCompare(got[:], want[:]) == 1
	return same && a.Token != "" && strings.EqualFold(scheme, "Bearer")
}

func quoted(s string) string { return `"` + strings.ToValidUTF8(s[:min(len(s), 100)], "?") + `"` }
