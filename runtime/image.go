package runtime

import "strings"

// NormalizeImage writes an image reference out in full, as `docker pull` would understand it: nginx becomes
// docker.io/library/nginx:latest. Podman resolves no short names without a configuration of its own.
func NormalizeImage(ref string) string {
	name, rest := splitRef(ref)
	if !hasRegistry(name) {
		if !strings.Contains(name, "/") {
			name = "library/" + name
		}
		name = "docker.io/" + name
	}
	if rest == "" {
		rest = ":latest"
	}
	return name + rest
}

// splitRef cuts a tag or digest off: the part that begins with ':' or '@' after the last slash.
func splitRef(ref string) (name, rest string) {
	if i := strings.IndexByte(ref, '@'); i >= 0 {
		return ref[:i], ref[i:]
	}
	slash := strings.LastIndexByte(ref, '/')
	if i := strings.IndexByte(ref[slash+1:], ':'); i >= 0 {
		return ref[:slash+1+i], ref[slash+1+i:]
	}
	return ref, ""
}

// hasRegistry follows the rule of github.com/distribution/reference: the first component is a host name if it has a
// dot or a colon, or is localhost.
func hasRegistry(name string) bool {
	first, _, found := strings.Cut(name, "/")
	return found && (strings.ContainsAny(first, ".:") || first == "localhost")
}
