package h3

import (
	"strings"
	"sync/atomic"

	"github.com/quic-go/quic-go"

	"github.com/fairlead/fairlead/l7/fields"
)

// urgency is what clients say of the order of their answers (RFC 9218). Those of a client who says nothing share the
// connection.
type urgency struct {
	spoken atomic.Bool // of any request
}

const usualUrgency = 3

// heed the fields of a request.
func (u *urgency) heed(stream *quic.Stream, h fields.List) {
	wish := h.Joined("Priority")
	switch {
	case wish != "":
		u.spoken.Store(true)
	case !u.spoken.Load():
		return
	}
	stream.SetPriority(urgencyOf(wish))
}

// urgencyOf reads the members u and i. What is not understood is left out.
func urgencyOf(wish string) (urgency int8, incremental bool) {
	urgency = usualUrgency
	for member := range strings.SplitSeq(wish, ",") {
		member, _, _ = strings.Cut(strings.TrimSpace(member), ";")
		switch {
		case len(member) == len("u=0") && strings.HasPrefix(member, "u=") && '0' <= member[2] && member[2] <= '7':
			urgency = int8(member[2] - '0')
		case member == "i", member == "i=?1":
			incremental = true
		case member == "i=?0":
			incremental = false
		}
	}
	return urgency, incremental
}
