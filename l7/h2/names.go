package h2

import (
	"strings"

	"golang.org/x/net/http2/hpack"

	"github.com/fairlead/fairlead/l7/fields"
)

// ofConnection are the fields that speak of a connection; HTTP/2 has none of them (RFC 9113 section 8.2.2). Names are in
// lower case.
func ofConnection(name string) bool {
	switch name {
	case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// forbidden says whether there are such fields: taken over into HTTP/1.1 they would split requests.
func forbidden(all []hpack.HeaderField) bool {
	for _, f := range all {
		if ofConnection(f.Name) || f.Name == "te" && f.Value != "trailers" {
			return true
		}
	}
	return false
}

// lower is a name as it is sent. Those that come often cost nothing.
func lower(name string) string {
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
