package h1

// isToken says whether s is a token of RFC 9110, section 5.6.2.
func isToken[T string | []byte](s T) bool {
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

var tokenByte = func() (t [256]bool) {
	const others = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for i := range len(others) {
		t[others[i]] = true
	}
	return t
}()

// isValue says whether s may stand in a field: CR, LF and NUL are what splits messages (RFC 9110, section 5.5).
func isValue[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] == '\r' || s[i] == '\n' || s[i] == 0 {
			return false
		}
	}
	return true
}

// isVisible says whether s has no space and no control character, as a request line needs it.
func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
