package journal

import "regexp"

// password matches what stands between user and host in an address (RFC 3986, section 3.2.1). Engines and registries
// put the address that they were asked for into their errors.
var password = regexp.MustCompile(`(://[^/?#\s:@"']*):[^/?#\s@"']+@`)

// Redact strikes passwords out of the addresses in a text.
func Redact(text string) string { return password.ReplaceAllString(text, "$1:xxxxx@") }
