package admin

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fairlead/fairlead/pool"
)

// Usage is what one replica's container takes.
type Usage struct {
	App     string  `json:"app"`
	Replica string  `json:"replica"`
	Host    string  `json:"host"`
	Memory  int64   `json:"memory"`          // bytes; 0 if Error says why
	CPU     float64 `json:"cpu_seconds"`     // since its start
	Error   string  `json:"error,omitempty"` // why nothing is known: an engine that cannot tell, or does not answer

	container string
}

const (
	usageBound   = 3 * time.Second
	usagesAtOnce = 8
)

// usage asks the engines, unlike the other reads: it is for the moment when somebody wants to know.
func (a *api) usage(w http.ResponseWriter, r *http.Request) {
	usages := []Usage{}
	var asking errgroup.Group
	asking.SetLimit(usagesAtOnce)
	for _, app := range a.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Container != "" && (row.State() == pool.Ready || row.State() == pool.Draining) {
				usages = append(usages, Usage{App: app.Name, Replica: row.ID, Host: row.Host, container: row.Container})
			}
		}
	}
	for i := range usages {
		asking.Go(func() error {
			a.measure(r.Context(), &usages[i])
			return nil
		})
	}
	_ = asking.Wait() // measure keeps each failure with its replica
	answer(w, http.StatusOK, usages)
}

func (a *api) measure(ctx context.Context, u *Usage) {
	ctx, cancel := context.WithTimeout(ctx, usageBound)
	defer cancel()
	host, err := a.Fleet.Host(u.Host)
	if err != nil {
		u.Error = err.Error()
		return
	}
	used, err := host.Engine.Stats(ctx, u.container)
	if err != nil {
		u.Error = err.Error()
		return
	}
	u.Memory, u.CPU = used.Memory, used.CPU.Seconds()
}
