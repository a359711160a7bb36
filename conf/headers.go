package conf

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Headers are edits of what an app gets and of what its visitors get.
type Headers struct {
	Request  Edits `conf:"request"`
	Response Edits `conf:"response"` // of the app's answers, not of Fairlead's own
	// Host that the app gets, from request.set; empty: the visitor's.
	Host string `conf:"-"`
}

// Edits of a header: what is removed goes first, then what is set, then what is added. Values may have placeholders.
type Edits struct {
	Set    map[string]string `conf:"set"`
	Add    map[string]string `conf:"add"`
	Remove []string          `conf:"remove,one"`
}

// Placeholders are the words that a value may have in braces.
var Placeholders = []string{"app", "client", "host", "method", "path", "replica", "request_id", "scheme"}

// Placeholder finds them; braces around anything else, as JSON has them, are text.
var Placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// framing fields say where a message ends, and hop-by-hop fields end at the next hop (RFC 9110 section 7.6.1): who edits
// them breaks messages.
var framing = []string{
	"connection", "content-length", "http2-settings", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
}

// token is what a field's name is made of (RFC 9110 section 5.6.2).
var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (h *Headers) check(v value) {
	h.takeHost(v.get("request", "set"))
	h.Request.check(v.get("request"))
	h.Response.check(v.get("response"))
	v.get("request", "set").withoutReplica(h.Request.Set)
	v.get("request", "add").withoutReplica(h.Request.Add)
}

// takeHost takes Host out of what is set: it is no field like the others.
func (h *Headers) takeHost(v value) {
	for _, name := range sortedKeys(h.Request.Set) {
		if !strings.EqualFold(name, "Host") {
			continue
		}
		host := h.Request.Set[name]
		delete(h.Request.Set, name)
		h.Host = host
		if u, err := url.Parse("//" + host); err != nil || host == "" || u.Host != host || !hostname.MatchString(strings.ToLower(u.Hostname())) {
			v.get(name).hint("api.example.org", "expected a host, and its port if need be, got %s", v.get(name).shown())
		}
	}
}

// withoutReplica refuses the placeholder that only an answer has a value for.
func (v value) withoutReplica(fields map[string]string) {
	for _, name := range sortedKeys(fields) {
		if strings.Contains(fields[name], "{replica}") {
			v.get(name).hint("in a response it is", "{replica} is not known before the request is sent")
		}
	}
}

func (e *Edits) check(v value) {
	for _, name := range sortedKeys(e.Set) {
		v.get("set", name).field(name, e.Set[name])
		if strings.EqualFold(name, "Set-Cookie") {
			v.get("set", name).hint("under add", "would take the app's cookies away")
		}
	}
	for _, name := range sortedKeys(e.Add) {
		v.get("add", name).field(name, e.Add[name])
	}
	for i, name := range e.Remove {
		v.get("remove").item(i).fieldName(name)
	}
}

func (v value) field(name, text string) {
	v.fieldName(name)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		v.fail("a header's value has no line breaks and no control characters")
	}
	for _, word := range Placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(Placeholders, word[1]) {
			v.hint("there are {"+strings.Join(Placeholders, "}, {")+"}", "%s is no placeholder", word[0])
		}
	}
}

func (v value) fieldName(name string) {
	switch lower := strings.ToLower(name); {
	case !token.MatchString(name):
		v.fail("%q is no header's name", name)
	case slices.Contains(framing, lower):
		v.fail("%s belongs to the connection and to where a message ends: it cannot be edited", name)
	case lower == "host":
		v.hint("set: {Host: api.example.org}", "an app gets one Host: the visitor's, or what request.set says")
	}
}
