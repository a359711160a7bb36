package l7

import (
	"errors"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/trust"
)

// troubled tells operators of a replica that there is no TLS with, once for each reason: its visitors are told that much
// alone.
func (s *story) troubled(lease pool.Lease, err error) {
	if errors.Is(err, trust.ErrRefused) && lease.Replica.SetTrouble(s.lost.Err.Error()) {
		s.front.log.Warn("a replica cannot be reached over TLS", "app", s.route.app.name, "replica", lease.Replica.ID, "error", s.lost.Err)
	}
}
