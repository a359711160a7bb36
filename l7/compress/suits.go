package compress

import "strings"

// Suits says whether a media type gains from it. Pictures, films and archives have been compressed already; an event
// stream is for its delays, not for its bytes; gRPC's clients know encodings of their own.
func Suits(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case kind == "text/event-stream", strings.HasPrefix(kind, "application/grpc"):
		return false
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	}
	switch kind {
	case "application/json", "application/javascript", "application/x-javascript", "application/ecmascript",
		"application/xml", "application/wasm", "application/geojson", "application/graphql", "application/rtf",
		"application/vnd.ms-fontobject", "font/ttf", "font/otf", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon":
		return true
	}
	return false
}
