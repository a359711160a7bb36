package l7

import "strings"

// normal returns a path as routes are matched against it: percent-encoding undone, empty and dot segments gone
// (RFC 3986 section 6.2.2). %2F stays: an encoded slash separates nothing. What is forwarded are the bytes as they came
// (case B115). A path that is normal already is returned as it is.
func normal(path string) string {
	if plain(path) {
		return path
	}
	var kept []string
	segments := strings.Split(decoded(path), "/")
	last := segments[len(segments)-1]
	for _, segment := range segments {
		switch segment {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
		}
	}
	out := "/" + strings.Join(kept, "/")
	if len(kept) > 0 && (last == "" || last == "." || last == "..") {
		out += "/"
	}
	return out
}

// plain says whether normal would change nothing.
func plain(path string) bool {
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '%':
			return false
		case '/':
			if rest := path[i+1:]; rest != "" && (rest[0] == '/' || dots(rest)) {
				return false
			}
		}
	}
	return true
}

func dots(rest string) bool {
	segment, _, _ := strings.Cut(rest[:min(3, len(rest))], "/")
	return segment == "." || segment == ".."
}

func decoded(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if c, ok := octet(path[i:]); ok && c != '/' {
			b.WriteByte(c)
			i += 2
			continue
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// octet reads a percent-encoded byte at the beginning of s.
func octet(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := hexDigit(s[1]), hexDigit(s[2])
	return high<<4 | low, high < 16 && low < 16
}

func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// cutPrefix takes a normal prefix off the raw bytes of a path that matched it. It fails where the bytes spell the
// prefix with dot or empty segments, or where what is left would mean something else without it.
func cutPrefix(raw, prefix string) (rest string, ok bool) {
	rest = raw
	for i := 0; i < len(prefix); i++ {
		if c, encoded := octet(rest); encoded && c == prefix[i] && c != '/' {
			rest = rest[3:]
			continue
		}
		if rest == "" || rest[0] != prefix[i] {
			return "", false
		}
		rest = rest[1:]
	}
	return rest, rest == "" || rest[0] == '/' && prefix+normal(rest) == normal(raw)
}

// target is the request target (RFC 9112 section 3.2) taken apart, every part with its raw bytes.
type target struct {
	path  string
	query string // with its question mark
	whole string // both, as they stand side by side
}

// origin reads a target in origin-form, or in absolute-form, whose authority the front end has made the host already.
func origin(raw string) (target, bool) {
	if !strings.HasPrefix(raw, "/") {
		_, after, absolute := strings.Cut(raw, "://")
		if !absolute {
			return target{}, false
		}
		raw = after[min(len(after), indexAny(after, "/?")):]
		if !strings.HasPrefix(raw, "/") {
			raw = "/" + raw
		}
	}
	path, _, _ := strings.Cut(raw, "?")
	return target{path: path, query: raw[len(path):], whole: raw}, true
}

func indexAny(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

// from is the target with a path that is the end of its own.
func (t target) from(rest string) target {
	return target{path: rest, query: t.query, whole: t.whole[len(t.path)-len(rest):]}
}

func (t target) String() string { return t.whole }
