package admin

import (
	"fmt"

	"github.com/fairlead/fairlead/pool"
)

// Replica is one row of the pool as the API shows it.
type Replica struct {
	ID        string `json:"id"`
	App       string `json:"app"`
	Host      string `json:"host"`
	Container string `json:"container"` // full id; empty while it is only reserved
	State     string `json:"state"`     // a word of pool.State
	Suspect   bool   `json:"suspect"`
	Upstream  string `json:"upstream"` // where the app's main port answers; empty if it does not
	Sessions  int    `json:"sessions"`
	Leases    int    `json:"leases"`
	Started   string `json:"started"` // the start that it stands for, as the engine says it; empty if it has none
	Outdated  bool   `json:"outdated,omitempty"`
	Trouble   string `json:"trouble,omitempty"` // what keeps visitors from it though it is there
}

func replicaOf(app *pool.App, snap *pool.Snapshot, row *pool.Row) Replica {
	return Replica{
		ID:        row.ID,
		App:       app.Name,
		Host:      row.Host,
		Container: row.Container,
		State:     row.State().String(),
		Suspect:   row.Suspect() != "",
		Upstream:  upstreamOf(row.Upstream(), snap.Policy.Port),
		Sessions:  app.SessionsOf(row.Replica),
		Leases:    row.Leases(),
		Started:   row.Start(),
		Trouble:   troubleOf(row),
		Outdated:  row.Spec != "" && snap.Policy.Spec != "" && row.Spec != snap.Policy.Spec,
	}
}

func troubleOf(row *pool.Row) string {
	if what := row.Trouble(); what != "" || !row.Flapping() {
		return what
	}
	return fmt.Sprintf("it ended soon after it was ready, %d times in a row", row.Flaps)
}

func upstreamOf(up *pool.Upstream, port int) string {
	if up == nil || !up.Endpoints[port].Addr.IsValid() {
		return ""
	}
	return up.Endpoints[port].Addr.String()
}
