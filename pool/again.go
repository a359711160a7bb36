package pool

import (
	"context"
	"time"
)

// AgainAfter bounds how long a visitor whose attempt failed waits for news before the same upstream is tried again.
const AgainAfter = time.Second

// AwaitAgain is Await for a visitor whose attempt at an upstream failed; nil means that none did. That one is not tried
// again before something has changed, or AgainAfter has passed (P4, P5); another one is taken at once.
func (a *App) AwaitAgain(ctx context.Context, v Visitor, failed *Upstream) Admission {
	if failed == nil || !a.Snapshot().routes(failed) {
		return a.Await(ctx, v)
	}
	changed := a.Changed()
	elsewhere := v
	elsewhere.Avoid = failed
	if admission := a.Admit(elsewhere); admission.Outcome == Served {
		if admission.Lease.Upstream != failed {
			return admission
		}
		admission.Lease.Release() // his session is bound there
	}
	pause(ctx, changed)
	return a.Await(ctx, v)
}

// routes says whether new visitors may be led to the upstream.
func (s *Snapshot) routes(up *Upstream) bool {
	for i := range s.Rows {
		if s.Rows[i].upstream == up {
			return s.Rows[i].Serves()
		}
	}
	return false
}

func pause(ctx context.Context, changed <-chan struct{}) {
	timer := time.NewTimer(AgainAfter)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
}
