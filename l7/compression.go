package l7

import (
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/l7/compress"
	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
)

// leastCompressed is the smallest body that is worth it, where its length is known.
const leastCompressed = 1 << 10

// wishes notes what the visitor takes, before anybody edits what he said.
func (s *story) wishes() {
	h := s.x.Header
	if s.x.Method != http.MethodHead && !h.Has("Range") && !h.HasMember("Cache-Control", "no-transform") {
		s.coding = compress.Choose(h.Joined("Accept-Encoding"))
	}
}

// compresses decides about an answer and makes its header that of the encoded one. It returns nil where the body goes
// as it is (case B124).
func (s *story) compresses(response *h1.Response, h *fields.List) *compress.Writer {
	if !s.route.app.compress || !s.suits(response, *h) {
		return nil
	}
	vary(h, "Accept-Encoding") // whoever asked: a cache keeps them apart
	if s.coding == compress.None {
		return nil
	}
	h.Del("Content-Length")
	h.Del("Accept-Ranges") // of the bytes that the app has
	h.Set("Content-Encoding", s.coding.String())
	weaken(h)
	return compress.NewWriter(s.coding, &s.reply)
}

// suits says whether an answer may be encoded at all: a whole one, that nobody has encoded, measured or forbidden to.
func (s *story) suits(response *h1.Response, h fields.List) bool {
	switch response.Status {
	case http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified:
		return false
	}
	if n := response.ContentLength; n >= 0 && n < leastCompressed && s.x.Method != http.MethodHead {
		return false
	}
	for _, name := range [...]string{"Content-Encoding", "Content-Range", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest"} {
		if h.Has(name) {
			return false
		}
	}
	return compress.Suits(h.Get("Content-Type")) && h.Get("X-Accel-Buffering") != "no" &&
		!h.HasMember("Cache-Control", "no-transform")
}

// weaken says that the entity is the same, but not its bytes (RFC 9110 section 8.8.1).
func weaken(h *fields.List) {
	if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		h.Set("ETag", "W/"+tag)
	}
}

// vary adds a request's field to those that the answer depends on.
func vary(h *fields.List, name string) {
	if !h.HasMember("Vary", "*") && !h.HasMember("Vary", name) {
		h.Set("Vary", appended(h.Joined("Vary"), name))
	}
}
