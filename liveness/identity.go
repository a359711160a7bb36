package liveness

import "github.com/fairlead/fairlead/pool"

// learn takes over an engine's new identity for all rows of its host. One container that was made under the old one and
// is there under the new one proves that it is the same engine; rows whose own container is gone could never tell, and
// would wait for ever.
func (k *Keeper) learn(host, before, now string) {
	if before == "" || now == "" || before == now {
		return
	}
	for _, app := range k.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Host == host && row.Identity == before {
				app.Settle(row.ID, 0, func(r *pool.Row) bool {
					r.Identity = now
					return true
				})
			}
		}
	}
}
