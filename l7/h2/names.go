package h2

import (
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"

	"github.com/fairlead/fairlead/l7/fields"
)

// OfConnection are the fields that speak of a connection; HTTP/2 and HTTP/3 have none of them (RFC 9113 section 8.2.2).
// Names are in lower case.
func OfConnection(name string) bool {
	switch name {
	case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// Forbidden says whether a field is such a one: taken over into HTTP/1.1 it would split requests.
func Forbidden(name, value string) bool {
	return OfConnection(name) || name == "te" && value != "trailers"
}

func forbidden(all []hpack.HeaderField) bool {
	return slices.ContainsFunc(all, func(f hpack.HeaderField) bool { return Forbidden(f.Name, f.Value) })
}

// Lower is a name as it is sent. Those that come often cost nothing.
func Lower(name string) string {
	if low, ok := lowered[name]; ok {
		return low
	}
	return strings.ToLower(name)
}

var lowered = func() map[string]string {
	m := map[string]string{}
	for _, name := range []string{
		"Accept", "Accept-Encoding", "Accept-Language", "Accept-Ranges", "Access-Control-Allow-Origin", "Age", "Allow",
		"Alt-Svc", "Authorization", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Length", "Content-Range", "Content-Security-Policy", "Content-Type", "Cookie", "Date", "Etag", "ETag",
		"Expires", "Fairlead-Reason", "Grpc-Message", "Grpc-Status", "If-Modified-Since", "If-None-Match", "Last-Modified",
		"Link", "Location", "Origin", "Range", "Referer", "Retry-After", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Server",
		"Set-Cookie", "Strict-Transport-Security", "Te", "Trailer", "User-Agent", "Vary", "Www-Authenticate",
		"X-Content-Type-Options", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto",
		"X-Frame-Options", "X-Request-Id",
	} {
		m[name] = strings.ToLower(name)
	}
	return m
}()

func listOf(all []hpack.HeaderField) fields.List {
	l := make(fields.List, len(all))
	for i, f := range all {
		l[i] = fields.Field{Name: f.Name, Value: f.Value}
	}
	return l
}
