package l7

import (
	"slices"

	"github.com/fairlead/fairlead/l7/fields"
)

// trailer is what the app gets behind the request's body: there are apps that take it into the header. So it has nothing
// that frames a message or ends at this hop, and says of the visitor only what his header could have said (case B112).
func (s *story) trailer() func() fields.List {
	said := s.x.Trailer
	if said == nil {
		return nil
	}
	return func() fields.List {
		t := slices.Clone(said()) // it is asked again
		stripHops(&t, "")
		distrust(&t, s.outside.trusted)
		t.DelFunc(framed)
		return t
	}
}

func framed(f fields.Field) bool { return isOneOf(f, framing[:]) }

// framing fields that do not end at this hop (RFC 9110, section 6.5.1).
var framing = [...]string{"Host", "Content-Length", "Expect"}
