package l7

import (
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/l7/fields"
)

// challengePath is where an ACME authority asks (RFC 8555, section 8.3).
const challengePath = "/.well-known/acme-challenge/"

// challenged answers an authority's question, before any route, redirect or refusal could get in between. What we do not
// know is a request like any other: the app may have an ACME client of its own (case B185).
func (s *story) challenged() bool {
	token, ok := strings.CutPrefix(s.x.Target, challengePath)
	if !ok || s.x.TLS || s.x.Method != http.MethodGet {
		return false
	}
	answer, ok := s.front.certificates.Challenge(bare(s.x.Host), token)
	if ok {
		s.record.reason = reasonChallenge
		s.answer(http.StatusOK, fields.List{{Name: "Content-Type", Value: "application/octet-stream"}, {Name: "Cache-Control", Value: "no-store"}}, []byte(answer))
	}
	return ok
}
